package ib.kit;

import ib.core.verbs.Cap;
import java.util.List;

/** In what callback a thread can stand, and when the wait for that callback's end gives way. */
enum CallbackPlace {
  /** A raw completion handler. */
  RAW("a completion handler", Yield.DEFERS, true),
  /** {@code done} on the completion vector. */
  LOOP("done() on the vector", Yield.DEFERS, true),
  /** {@code done} on the pool. */
  POOL("done() on the pool", Yield.DEFERS, false),
  /** {@code done} on a virtual thread. */
  VIRTUAL("done() on a virtual thread", Yield.DEFERS, false),
  /** A typed event handler. */
  EVENT("an event handler", Yield.THROWS, true),
  /** A callback of the MAD layer. */
  MAD("a MAD callback", Yield.DEFERS, false),
  /** {@code IbClient.add}. */
  ADD("add", Yield.QUEUED, false),
  /** {@code IbClient.remove}. */
  REMOVE("remove", Yield.QUEUED, false),
  /** The event handler of a completion queue. */
  CQ_EVENT("an event handler of a CQ", Yield.DEFERS, true),
  /** The event handler of a queue pair. */
  QP_EVENT("an event handler of a QP", Yield.DEFERS, true),
  /** The event handler of a shared receive queue. */
  SRQ_EVENT("an event handler of an SRQ", Yield.DEFERS, true),
  /** A callback of the subnet administration. */
  SA("an SA callback", Yield.DEFERS, false),
  /** {@code done} of what was made under a lease, whose close sweeps it. */
  LEASE("done() under a lease", Yield.DEFERS, false);

  /** The first ones, which were crossed with each other before there were more. */
  static final List<CallbackPlace> FIRST = List.of(values()).subList(0, CQ_EVENT.ordinal());

  final String text;
  final Yield fence;
  final boolean atomic;

  CallbackPlace(String text, Yield fence, boolean atomic) {
    this.text = text;
    this.fence = fence;
    this.atomic = atomic;
  }

  /** {@return the capabilities that a device needs for this place} */
  Cap[] needs() {
    return this == QP_EVENT || this == SRQ_EVENT ? new Cap[] {Cap.SRQ} : new Cap[0];
  }

  /** The fate of a wait that is refused, in the order in which waits are. */
  enum Yield {
    QUEUED,
    THROWS,
    DEFERS
  }
}
