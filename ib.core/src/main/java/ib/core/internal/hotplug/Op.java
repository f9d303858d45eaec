package ib.core.internal.hotplug;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation on one device. Another thread can run it again from the start when its first thread
 * got stuck, because every step looks at the state first.
 */
final class Op implements Waits.Target {
  /** The kind of an operation. */
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

    /** Whether a client or the device must be out of use when the operation is done. */
    boolean fence() {
      return this == DETACH || drains();
    }

    /**
     * Whether the wait of a thread for this operation ends at the deadline, while the operation
     * stays queued: true if the operation is no fence. For a fence the watchdog instead ends the
     * callback that the fence waits for. A probe is the first operation on its device: it waits for
     * a removal at most.
     */
    boolean limited() {
      return !fence() && this != PROBE;
    }

    /** Whether the operation waits until children and leases have released the device. */
    boolean drains() {
      return this == RESET || this == SUSPEND || this == SHUTDOWN;
    }
  }

  final Kind kind;
  final DeviceEntry device;
  final long askedNs;

  /** The rank of a wait for the operation: which wait of a cycle is refused. */
  final Waits.Rank rank;

  private final Consumer<Tenure> body;

  // ---- guarded by the book ----
  boolean done;

  /** The thread that waits for the operation, and runs it when it is next. */
  @Nullable Waiter waiter;

  /** The tenure that the waiter was handed, to run the operation. */
  @Nullable Tenure turn;

  /** Why the first thread handed the operation to a helper, or waits no more. */
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
   * A thread that waits for the operation.
   *
   * @param entry the wait in the wait-for graph
   * @param signal wakes the thread
   * @param runs whether the thread runs the operation when it is next; else another thread does
   * @param sinceNs when the wait began
   */
  record Waiter(WaitGraph.Wait entry, Sync.Signal signal, boolean runs, long sinceNs) {
    Thread thread() {
      return entry.thread();
    }
  }
}
