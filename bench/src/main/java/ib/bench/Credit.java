package ib.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * How far a stream's receiver is, and the sender's wait for it: the sender is never more than
 * {@value #WINDOW} messages ahead.
 */
final class Credit {
  static final int BATCH = 16;
  static final int WINDOW = 128;

  /** Of a burst that is timed: several windows, so that it is the receiver's time too. */
  static final int BATCHES = 32;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment consumed = Arena.ofAuto().allocate(256, 128);
  private final Patience patience = new Patience("credit");
  private long sent;

  /** Waits until another batch may go. */
  void take() {
    sent += BATCH;
    while (sent - (long) LONG.getAcquire(consumed, 128L) > WINDOW) {
      patience.spin();
    }
    patience.rest();
  }

  void give(long all) {
    LONG.setRelease(consumed, 128L, all);
  }
}
