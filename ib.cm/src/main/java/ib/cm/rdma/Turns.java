package ib.cm.rdma;

import ib.core.serial.BoundedWaits;
import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Place;
import ib.core.serial.Waits;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** The callbacks of a connection or a listener: one at a time, in order (API-1). */
final class Turns extends Mailbox<Runnable> {
  private static final Place PLACE = Place.virtual("ib-cm-rdma-");
  private static final ScopedValue<Boolean> INSIDE = ScopedValue.newInstance();
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(20);
  private static final Waits WAITS = new BoundedWaits();

  Turns(int capacity) {
    super(PLACE, capacity);
  }

  @Override
  protected void hear(Runnable turn) {
    ScopedValue.where(INSIDE, true).run(turn);
  }

  /**
   * Waits until the callbacks so far have returned. Inside of any callback of this package it does
   * not wait, so that two callbacks never wait for each other (API-2).
   */
  void fence(String what) {
    await(soFar(what));
  }

  /** {@return a target that the callback in progress may reach} */
  Waits.Target until(BooleanSupplier over, String what) {
    return new Waits.Target() {
      @Override
      public boolean over() {
        return over.getAsBoolean();
      }

      @Override
      public void holders(Consumer<? super Thread> to) {
        Thread runs = runner();
        if (runs != null) {
          to.accept(runs);
        }
      }

      @Override
      public String text() {
        return what;
      }
    };
  }

  /** Waits until something is over, or too long; inside of a callback it does not wait. */
  static void await(Waits.Target target) {
    if (INSIDE.isBound()) {
      return;
    }
    End end = WAITS.await(target, Waits.Rank.CLOSES, MAX_WAIT_NS);
    if (!end.done()) {
      LoggerFactory.getLogger(Turns.class).warn("{} has not ended: {}", target.text(), end.kind());
    }
  }
}
