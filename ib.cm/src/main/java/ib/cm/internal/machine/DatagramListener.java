package ib.cm.internal.machine;

import ib.core.verbs.IbInvalidException;
import java.util.function.Predicate;

/** A datagram service that a port has; {@link Datagrams} alone reads and writes it. */
public final class DatagramListener {
  final long serviceId;
  final Predicate<Asked> ears;
  int backlog;
  int waiting;

  DatagramListener(long serviceId, int backlog, Predicate<Asked> ears) {
    this.serviceId = serviceId;
    backlog(backlog);
    this.ears = ears;
  }

  /**
   * Changes the backlog.
   *
   * @param requests how many questions may wait, from 0
   */
  public final void backlog(int requests) {
    if (requests < 0) {
      throw new IbInvalidException("serve", "backlog " + requests, "0 or more");
    }
    backlog = requests;
  }
}
