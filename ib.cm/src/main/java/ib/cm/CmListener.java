package ib.cm;

/** A service ID that a port listens to. */
public interface CmListener extends AutoCloseable {
  /** {@return the service ID} */
  long serviceId();

  /**
   * Changes the backlog, for example of a service that cannot serve for a while: with 0 all
   * requests are dropped, and their senders repeat them.
   *
   * @param requests how many requests may wait for an answer of the handler, from 0
   * @throws ib.core.verbs.IbInvalidException for fewer than 0
   */
  void backlog(int requests);

  /**
   * Stops to listen: requests that were neither accepted nor rejected are rejected with reason 28,
   * later ones with reason 8 (CM-46). Connections stay.
   */
  @Override
  void close();
}
