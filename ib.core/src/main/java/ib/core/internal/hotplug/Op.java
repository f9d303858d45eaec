package ib.core.internal.hotplug;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation on one device. What it does is written so that it can be run again from the start
 * by another thread when its first one got stuck: every step looks at the state first.
 */
final class Op implements Waits.Target {
  /** What is to be done. */
  enum Kind {
    PROBE("register"),
    ATTACH("add clients to"),
    DETACH("unregister a client from"),
    REBIND("rebind a client to"),
    RENAME("rename"),
    RESET("reset"),
    /** The child's part of a reset of its parent, down. */
    SUSPEND("suspend"),
    /** The child's part of a reset of its parent, up. */
    RESUME("resume"),
    SHUTDOWN("unregister");

    private final String verb;

    Kind(String verb) {
      this.verb = verb;
    }

    /** Somebody has to be gone when it is done. */
    boolean fence() {
      return this == DETACH || drains();
    }

    /**
     * Whether a thread that waits for it is let go at the deadline, while it stays queued: nobody
     * has to be gone when it is done. Of a fence the watchdog ends what the fence waits for
     * instead. A probe is the first on its device: it waits for a removal at the most.
     */
    boolean limited() {
      return !fence() && this != PROBE;
    }

    /** Needs everybody to let go: children, leases. */
    boolean drains() {
      return this == RESET || this == SUSPEND || this == SHUTDOWN;
    }
  }

  final Kind kind;
  final DeviceEntry device;
  final long askedNs;

  /** When a thread that waits for it is given up in favour of others. */
  final Waits.Rank rank;

  private final Consumer<Tenure> body;

  // ---- guarded by the book ----
  boolean done;

  /** Who waits for it; the thread that runs it when its turn comes. */
  @Nullable Waiter waiter;

  /** The tenure that was given to the waiter for it. */
  @Nullable Tenure turn;

  /** Why its first thread gave it to a helper, or waits no more. */
  @Nullable Refusal refusal;

  @Nullable RuntimeException failure;

  Op(Kind kind, DeviceEntry device, long askedNs, Waits.Rank rank, Consumer<Tenure> body) {
    this.kind = kind;
    this.device = device;
    this.askedNs = askedNs;
    this.rank = rank;
    this.body = body;
  }

  void run(Tenure tenure) {
    body.accept(tenure);
  }

  /** Guarded by the book, as all of a target. */
  @Override
  public boolean over() {
    return done || turn != null;
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    device.actor.blockers(this).forEach(to);
  }

  @Override
  public String text() {
    return toString();
  }

  @Override
  public String toString() {
    return kind.verb + " " + device.name();
  }

  /**
   * A thread that waits.
   *
   * @param entry its place in the graph
   * @param signal wakes it
   * @param runs whether it runs the operation when its turn comes; else an owner does
   * @param sinceNs since when
   */
  record Waiter(WaitGraph.Wait entry, Sync.Signal signal, boolean runs, long sinceNs) {
    Thread thread() {
      return entry.thread();
    }
  }
}
