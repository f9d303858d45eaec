package ib.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Keeps the two ends of an exchange on a processor each, where the system can. */
public final class Pin {
  private static final int MASK_BYTES = 128;
  private static final boolean SEVERAL = // asked before anybody is kept on one
      Runtime.getRuntime().availableProcessors() > 1;

  private Pin() {}

  /**
   * The calling thread runs on this processor only.
   *
   * @return whether the system does so
   */
  public static boolean to(int processor) {
    return set(processor, processor + 1);
  }

  /** The calling thread runs on any processor again. */
  public static void off() {
    set(0, MASK_BYTES * Byte.SIZE);
  }

  private static boolean set(int first, int end) {
    Linker linker = Linker.nativeLinker();
    MemorySegment function = linker.defaultLookup().find("sched_setaffinity").orElse(null);
    if (!SEVERAL || function == null) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MethodHandle affinity =
          linker.downcallHandle(
              function,
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG));
      MemorySegment bits = arena.allocate(MASK_BYTES, 8);
      for (int cpu = first; cpu < end; cpu++) {
        long word = cpu / Long.SIZE * (long) Long.BYTES;
        long old = bits.get(ValueLayout.JAVA_LONG, word);
        bits.set(ValueLayout.JAVA_LONG, word, old | 1L << cpu % Long.SIZE);
      }
      return (int) affinity.invokeExact(0, (long) MASK_BYTES, bits.address()) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
