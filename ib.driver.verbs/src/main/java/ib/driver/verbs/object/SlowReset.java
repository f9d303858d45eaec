package ib.driver.verbs.object;

import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.core.verbs.QpState;
import ib.driver.verbs.abi.Libc;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * A move from SQD to RESET. rdma_rxe of Linux 7.3 refuses it with EINVAL while the send queue
 * drains, for about 5 ms: the driver asks again. It does not go by ERR, which would complete what
 * RESET discards.
 */
final class SlowReset implements Waits.Target {
  private static final long LIMIT_NS = 100_000_000;

  private final IntSupplier move;
  private int errno; // of the last call

  private SlowReset(IntSupplier move) {
    this.move = move;
  }

  /**
   * Moves a queue pair by calls of the kernel, each of which returns 0 or an error number.
   *
   * @throws IbException when the kernel refuses
   */
  static void check(IntFunction<IbException> failure, QpState from, QpState to, IntSupplier move) {
    SlowReset reset = new SlowReset(move);
    boolean refused = !reset.over() && from == QpState.SQD && to == QpState.RESET;
    if (refused && !new BoundedWaits().await(reset, Waits.Rank.THROWS, LIMIT_NS).done()) {
      IbException e = failure.apply(reset.errno);
      String why = "the send queue still drains; " + e.why();
      throw new IbAgainException(e.what(), why, "again later, or ERR before RESET");
    }
    if (reset.errno != 0) {
      throw failure.apply(reset.errno);
    }
  }

  @Override
  public boolean over() {
    errno = move.getAsInt();
    return errno != Libc.EINVAL;
  }

  @Override
  public void holders(Consumer<? super Thread> to) {} // the kernel drains the queue

  @Override
  public String text() {
    return "a send queue that drains";
  }
}
