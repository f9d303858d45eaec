package ib.cm;

/** A service ID that a port listens to. */
public interface CmListener extends AutoCloseable {
  /** {@return the service ID} */
  long serviceId();

  /**
   * Changes the backlog.
   *
   * @param requests how many requests may wait for an answer of the handler, at least 1
   */
  void backlog(int requests);

  /**
   * Stops to listen: requests that were neither accepted nor rejected are rejected with reason 28,
   * later ones with reason 8 (CM-46). Connections stay.
   */
  @Override
  void close();
}
