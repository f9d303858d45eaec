package ib.bench.net;

import ib.bench.Pin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** F: two threads, one flag each way: how far apart the two cores are now. */
final class Flag {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private Flag() {}

  static long roundTripNs(long ms) throws InterruptedException {
    MemorySegment flags = Arena.ofAuto().allocate(512, 128);
    Thread echo =
        Thread.ofPlatform()
            .start(
                () -> {
                  Pin.to(1);
                  long seen = 0;
                  while (seen >= 0) {
                    long now = (long) LONG.getAcquire(flags, 128L);
                    if (now != seen) {
                      seen = now;
                      LONG.setRelease(flags, 256L, seen);
                    } else {
                      Thread.onSpinWait();
                    }
                  }
                });
    Pin.to(0);
    long n = 0;
    long start = System.nanoTime();
    while (System.nanoTime() - start < ms * 1_000_000) {
      for (int i = 0; i < 1000; i++) {
        LONG.setRelease(flags, 128L, ++n);
        while ((long) LONG.getAcquire(flags, 256L) != n) {
          Thread.onSpinWait();
        }
      }
    }
    long ns = System.nanoTime() - start;
    LONG.setRelease(flags, 128L, -1L);
    echo.join();
    Pin.off();
    return ns / n;
  }
}
