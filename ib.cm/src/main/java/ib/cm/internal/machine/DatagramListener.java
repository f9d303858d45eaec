package ib.cm.internal.machine;

import java.util.function.Predicate;

/** A datagram service that a port has; {@link Datagrams} alone reads and writes it. */
public final class DatagramListener {
  final long serviceId;
  final Predicate<Asked> ears;
  final Backlog waiting;

  DatagramListener(long serviceId, int backlog, Predicate<Asked> ears) {
    this.serviceId = serviceId;
    this.waiting = new Backlog(backlog);
    this.ears = ears;
  }

  /**
   * Changes the backlog.
   *
   * @param requests how many questions may wait, from 0
   */
  public void backlog(int requests) {
    waiting.places(requests);
  }
}
