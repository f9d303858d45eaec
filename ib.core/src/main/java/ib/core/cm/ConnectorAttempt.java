package ib.core.cm;

import java.net.InetSocketAddress;

/**
 * The request of an active side.
 *
 * @param space port space, not UDP
 * @param port of the device, from 1
 * @param local address of the port, and a port
 * @param remote address and port of the peer
 * @param mine this side's queue pair, in state INIT with receives posted
 * @param retryCount retries of both queue pairs, 0 to 7
 * @param ackTimeout ACK timeout of both queue pairs, an exponent, 0 to 31
 * @param trafficClass traffic class of the connection, 8 bits
 * @param data private data for the peer, at most 56 bytes
 */
public record ConnectorAttempt(
    ConnectorSpace space,
    int port,
    InetSocketAddress local,
    InetSocketAddress remote,
    ConnectorEndpoint mine,
    int retryCount,
    int ackTimeout,
    int trafficClass,
    byte[] data) {
  /** Copies the data. */
  public ConnectorAttempt {
    data = data.clone();
  }

  /** {@return a copy of the private data} */
  @Override
  public byte[] data() {
    return data.clone();
  }
}
