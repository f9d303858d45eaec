package ib.cm.internal.machine;

import ib.cm.CmEvent;
import ib.core.verbs.IbInvalidException;
import java.util.function.Consumer;
import java.util.function.Function;

/** A service ID that a {@link Station} listens to, which alone reads and writes it. */
public final class Listener {
  final long serviceId;
  final Function<Connection, Consumer<CmEvent>> ears;
  int backlog;
  int waiting;

  Listener(long serviceId, int backlog, Function<Connection, Consumer<CmEvent>> ears) {
    this.serviceId = serviceId;
    backlog(backlog);
    this.ears = ears;
  }

  /**
   * Changes the backlog.
   *
   * @param requests how many requests may wait, from 0
   */
  public final void backlog(int requests) {
    if (requests < 0) {
      throw new IbInvalidException("listen", "backlog " + requests, "0 or more");
    }
    backlog = requests;
  }

  /** {@return the service ID} */
  public long serviceId() {
    return serviceId;
  }
}
