package ib.core.cm;

import ib.core.verbs.MaySleep;

/** A question for a datagram service that the host asks. */
@FunctionalInterface
public interface ConnectorPending extends AutoCloseable {
  /** Gives the question up, and ends it also when it was answered. A second call does nothing. */
  @Override
  @MaySleep
  void close();
}
