package ib.cm.rdma;

import ib.core.mad.cm.CmKind;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.util.Set;

/** The port spaces of RDMA CM: each has its own 65,535 ports (IBA annex A11). */
public enum PortSpace {
  /** Connections; what rping, perftest and NVMe use. */
  TCP(0x0106),
  /**
   * Datagram services: a question for the service's queue pair instead of a connection, and queue
   * pairs of type UD with the Q_Key {@link #DATAGRAM_QKEY} (RD-11). What udaddy and mckey use.
   */
  UDP(0x0111),
  /** Connections, beside those of TCP. */
  IB(0x013F);

  /** The Q_Key of all queue pairs that RDMA CM knows of in {@link #UDP} (RD-12). */
  public static final int DATAGRAM_QKEY = 0x01234567;

  private static final int PORT_BITS = 16;
  private static final int MAX_PORT = 0xffff;

  private final long prefix;

  PortSpace(long prefix) {
    this.prefix = prefix;
  }

  /**
   * {@return the service ID of a port}
   *
   * @param port 1 to 65535
   * @throws IbInvalidException for any other port
   */
  public long serviceId(int port) {
    if (port < 1 || port > MAX_PORT) {
      throw new IbInvalidException("port " + port, "no port of " + this, "1 to " + MAX_PORT);
    }
    return number(port);
  }

  /** {@return the service ID of a port, or a number that is none of any port} */
  long number(int port) {
    return prefix << PORT_BITS | port;
  }

  /** {@return whether the port space has datagram services, and no connections} */
  public boolean isDatagram() {
    return this == UDP;
  }

  /**
   * Checks the types of the queue pairs of a listener.
   *
   * @throws IbInvalidException when there is none, or the port space has not one of them
   */
  void check(String what, Set<QpType> types) {
    Set<QpType> legal =
        isDatagram() ? Set.of(QpType.UD) : Set.of(QpType.RC, QpType.UC, QpType.XRC_TGT);
    if (types.isEmpty() || !legal.containsAll(types)) {
      throw new IbInvalidException(
          what, "queue pairs of type " + types + " in port space " + this, "some of " + legal);
    }
  }

  /** {@return the message by which a peer asks for a port of it} */
  CmKind question() {
    return isDatagram() ? CmKind.SIDR_REQ : CmKind.REQ;
  }

  /** {@return the port of a service ID} */
  static int port(long serviceId) {
    return (int) serviceId & MAX_PORT;
  }
}
