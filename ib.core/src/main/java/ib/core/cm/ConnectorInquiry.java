package ib.core.cm;

import java.net.InetSocketAddress;

/**
 * A question of this side for a datagram service.
 *
 * @param port of the device, from 1
 * @param local address of the port, and a port
 * @param remote address and port of the service
 * @param trafficClass traffic class, 8 bits
 * @param data private data for the service, at most 180 bytes
 */
public record ConnectorInquiry(
    int port, InetSocketAddress local, InetSocketAddress remote, int trafficClass, byte[] data) {
  /** Copies the data. */
  public ConnectorInquiry {
    data = data.clone();
  }

  /** {@return a copy of the private data} */
  @Override
  public byte[] data() {
    return data.clone();
  }
}
