package ib.driver.verbs.object;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Keeps the arena of registered memory open (V7): the device reaches the memory whatever the JVM
 * does, so an arena that is closed under a region would give the device memory that belongs to
 * something else by then. While a segment is the argument of a call of C, its arena cannot be
 * closed; so a thread per arena is in such a call, of {@code bsearch}, whose comparison waits until
 * the last region of the arena has gone. {@code Arena.close} then throws IllegalStateException.
 */
final class Hold {
  /** For memory that only the region itself can free, and memory that is never freed. */
  static final Hold NONE = new Hold(null);

  private static final Keepers KEEPERS = new Keepers();

  private final MemorySegment.@org.jspecify.annotations.Nullable Scope scope;

  private Hold(MemorySegment.@org.jspecify.annotations.Nullable Scope scope) {
    this.scope = scope;
  }

  /** Holds the arena of a segment. */
  static Hold of(MemorySegment segment) {
    MemorySegment.Scope scope = segment.scope();
    if (scope.equals(Arena.global().scope())) {
      return NONE;
    }
    KEEPERS.keep(segment);
    return new Hold(scope);
  }

  /** Lets the arena go. */
  void end() {
    if (scope != null) {
      KEEPERS.drop(scope);
    }
  }

  /** The arenas that are held. Its monitor guards them; no thread waits while it holds it. */
  private static final class Keepers {
    private final Map<MemorySegment.Scope, Keeper> keepers = new HashMap<>();

    void keep(MemorySegment segment) {
      Keeper keeper;
      synchronized (this) {
        keeper = keepers.computeIfAbsent(segment.scope(), s -> new Keeper(segment));
        keeper.regions++;
      }
      keeper.begin();
      if (keeper.failed) {
        drop(segment.scope());
        throw new ib.core.verbs.IbInvalidException(
            "registerMemory", "the segment's arena is closed", "an arena that is open");
      }
    }

    void drop(MemorySegment.Scope scope) {
      Keeper last = null;
      synchronized (this) {
        Keeper keeper = keepers.get(scope);
        if (keeper != null && --keeper.regions == 0) {
          keepers.remove(scope);
          last = keeper;
        }
      }
      if (last != null) {
        last.end();
      }
    }
  }

  /** A thread that is in a call with a segment of the arena. */
  private static final class Keeper {
    private static final MethodHandle SEARCH = search();
    private final CountDownLatch holds = new CountDownLatch(1);
    private final CountDownLatch ends = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean failed;
    private int regions; // guarded by the monitor of Keepers

    Keeper(MemorySegment segment) {
      thread = Thread.ofPlatform().daemon().name("ib-verbs-memory").start(() -> call(segment));
    }

    private static MethodHandle search() {
      Linker linker = Linker.nativeLinker();
      ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
      return linker.downcallHandle(
          linker.defaultLookup().find("bsearch").orElseThrow(),
          FunctionDescriptor.of(
              word, ValueLayout.ADDRESS, ValueLayout.ADDRESS, word, word, ValueLayout.ADDRESS));
    }

    private void call(MemorySegment segment) {
      try (Arena arena = Arena.ofConfined()) {
        MethodHandle compare =
            MethodHandles.dropArguments(
                MethodHandles.lookup().bind(this, "compare", MethodType.methodType(int.class)),
                0,
                MemorySegment.class,
                MemorySegment.class);
        MemorySegment stub =
            Linker.nativeLinker()
                .upcallStub(
                    compare,
                    FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                    arena);
        MemorySegment key = arena.allocate(MemoryLayout.paddingLayout(Long.BYTES));
        long found = (long) SEARCH.invokeExact(key, segment, 1L, 1L, stub);
        failed = found == 0;
      } catch (Throwable e) {
        failed = true; // the arena was closed before
      } finally {
        holds.countDown();
      }
    }

    /** Called by C, in the call that holds the arena. */
    @SuppressWarnings("UnusedMethod") // by its handle
    int compare() {
      holds.countDown();
      await(ends);
      return 0;
    }

    private static void await(CountDownLatch latch) {
      while (true) {
        try {
          latch.await();
          return;
        } catch (InterruptedException e) {
          Thread.interrupted(); // the call must not end before its time
        }
      }
    }

    void begin() {
      await(holds);
    }

    void end() {
      ends.countDown();
      Threads.join(thread);
    }
  }
}
