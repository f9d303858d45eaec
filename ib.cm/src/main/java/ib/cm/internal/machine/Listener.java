package ib.cm.internal.machine;

import ib.cm.CmEvent;
import java.util.function.Consumer;
import java.util.function.Function;

/** A service ID that a {@link Station} listens to, which alone reads and writes it. */
public final class Listener {
  final long serviceId;
  int backlog;
  final Function<Connection, Consumer<CmEvent>> ears;
  int waiting;

  Listener(long serviceId, int backlog, Function<Connection, Consumer<CmEvent>> ears) {
    this.serviceId = serviceId;
    this.backlog = backlog;
    this.ears = ears;
  }

  /** {@return the service ID} */
  public long serviceId() {
    return serviceId;
  }
}
