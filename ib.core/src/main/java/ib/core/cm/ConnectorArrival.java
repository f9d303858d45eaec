package ib.core.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import java.net.InetSocketAddress;

/**
 * A peer that wants to connect.
 *
 * @param link the connection: accept or reject it, and close it
 * @param local address and port to which the peer connects
 * @param remote address and port of the peer
 * @param way address vector to the peer, with the port of the device
 * @param mtu path MTU
 * @param peer the peer's queue pair
 * @param psns the starting PSNs
 * @param retryCount retries that the peer has chosen for both queue pairs, 0 to 7
 * @param ackTimeout ACK timeout that the peer has chosen for both queue pairs, an exponent
 * @param data private data of the peer, 56 bytes
 */
public record ConnectorArrival(
    ConnectorLink link,
    InetSocketAddress local,
    InetSocketAddress remote,
    AhAttr way,
    Mtu mtu,
    ConnectorEndpoint peer,
    ConnectorPsns psns,
    int retryCount,
    int ackTimeout,
    byte[] data) {
  /** Copies the data. */
  public ConnectorArrival {
    data = data.clone();
  }

  /** {@return a copy of the private data} */
  @Override
  public byte[] data() {
    return data.clone();
  }
}
