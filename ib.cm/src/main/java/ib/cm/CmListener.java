package ib.cm;

/** A service ID that a port listens to. */
public interface CmListener extends AutoCloseable {
  /** {@return the service ID} */
  long serviceId();

  /**
   * Stops to listen: requests that were neither accepted nor rejected are rejected with reason 28,
   * later ones with reason 8 (CM-46). Connections stay.
   */
  @Override
  void close();
}
