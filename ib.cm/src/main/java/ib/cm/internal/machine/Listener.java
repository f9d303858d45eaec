package ib.cm.internal.machine;

import ib.cm.CmEvent;
import ib.core.verbs.QpType;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** A service ID that a {@link Station} listens to, which alone reads and writes it. */
public final class Listener {
  final long serviceId;
  final Set<QpType> types;
  final Function<Connection, Consumer<CmEvent>> ears;
  final Backlog waiting;

  Listener(
      long serviceId,
      Set<QpType> types,
      int backlog,
      Function<Connection, Consumer<CmEvent>> ears) {
    this.serviceId = serviceId;
    this.types = Set.copyOf(types);
    this.waiting = new Backlog(backlog);
    this.ears = ears;
  }

  /**
   * Changes the backlog.
   *
   * @param requests how many requests may wait, from 0
   */
  public void backlog(int requests) {
    waiting.places(requests);
  }

  /** {@return whether this side has a queue pair for a transport} */
  boolean takes(Transport transport) {
    return types.contains(transport.passive());
  }

  /** {@return the service ID} */
  public long serviceId() {
    return serviceId;
  }
}
