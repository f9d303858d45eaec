package ib.cm;

/** A service ID that a port listens to. */
public interface CmListener extends AutoCloseable {
  /** {@return the service ID} */
  long serviceId();

  /**
   * Changes the backlog, for example of a service that cannot serve for a while: with 0 all
   * requests are dropped, and their senders repeat them. A listener of a host's connection manager
   * looks which addresses the port has, and which of these are wanted.
   *
   * @param requests how many requests may wait for an answer of the handler, from 0
   * @throws ib.core.verbs.IbInvalidException for fewer than 0
   * @throws ib.core.verbs.IbException when the host refuses to listen at an address; the listener
   *     listens at the others
   */
  void backlog(int requests);

  /**
   * Stops to listen: requests that were neither accepted nor rejected are rejected with reason 28,
   * later ones with reason 8 (CM-46). Connections stay.
   */
  @Override
  void close();
}
