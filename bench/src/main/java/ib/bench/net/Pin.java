package ib.bench.net;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Keeps the two ends of an exchange on a processor each, where the system can. */
final class Pin {
  private static final int MASK_BYTES = 128;
  private static final boolean SEVERAL = // asked before anybody is kept on one
      Runtime.getRuntime().availableProcessors() > 1;

  private Pin() {}

  /** The calling thread runs on this processor only. */
  static void to(int processor) {
    set(1L << processor);
  }

  /** The calling thread runs on any processor again. */
  static void off() {
    set(-1L);
  }

  private static void set(long mask) {
    if (!SEVERAL) {
      return;
    }
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      MethodHandle affinity =
          linker.downcallHandle(
              linker.defaultLookup().find("sched_setaffinity").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG));
      MemorySegment bits = arena.allocate(MASK_BYTES, 8);
      bits.set(ValueLayout.JAVA_LONG, 0, mask);
      int ignored = (int) affinity.invokeExact(0, (long) MASK_BYTES, bits.address());
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
