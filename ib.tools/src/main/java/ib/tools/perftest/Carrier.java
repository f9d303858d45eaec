package ib.tools.perftest;

import java.io.IOException;

/** Carries the records of the exchange. For the run's thread only. */
interface Carrier extends AutoCloseable {
  /**
   * Sends a record and receives the peer's, which has the same length; the client sends first.
   *
   * @param mine the record
   * @param patienceNs how long the peer's may take, in ns
   * @return the peer's
   * @throws IOException when the peer has left, or was too slow
   */
  byte[] exchange(byte[] mine, long patienceNs) throws IOException;

  /** {@return whether keys are binary, as they are over RDMA CM, or else text} */
  boolean binary();

  @Override
  void close() throws IOException;
}
