package ib.cm.rdma;

import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Place;
import ib.core.serial.Waits;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The callbacks of a connection or a listener: one at a time, in order (API-1). */
final class Turns extends Mailbox<Runnable> {
  private static final Place PLACE = Place.virtual("ib-cm-rdma-");
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(20);

  private final Supplier<Waits> graph;

  /**
   * Creates an empty queue.
   *
   * @param capacity how many callbacks may wait
   * @param graph of the midlayer, for fences
   */
  Turns(int capacity, Supplier<Waits> graph) {
    super(PLACE, capacity);
    this.graph = graph;
  }

  @Override
  protected void hear(Runnable turn) {
    turn.run();
  }

  /**
   * Waits until the callbacks so far have returned; not inside of one of them, nor where one waits,
   * in the end, for the caller (API-2).
   */
  void fence(String what) {
    await(soFar(what));
  }

  /**
   * {@return what a thread waits for that another thread brings about}
   *
   * @param over whether it has come
   * @param who the thread that brings it about, or null when that is not known
   * @param what for reports
   */
  static Waits.Target target(BooleanSupplier over, Supplier<@Nullable Thread> who, String what) {
    return new Waits.Target() {
      @Override
      public boolean over() {
        return over.getAsBoolean();
      }

      @Override
      public void holders(Consumer<? super Thread> to) {
        Thread runs = who.get();
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

  /** Waits until something is over, or too long; not where that waits for the caller. */
  void await(Waits.Target target) {
    End end = graph.get().await(target, Waits.Rank.CLOSES, MAX_WAIT_NS);
    if (end.kind() == End.Kind.TIMEOUT) {
      LoggerFactory.getLogger(Turns.class).warn("{} has not ended: {}", target.text(), end.kind());
    }
  }
}
