package ib.core.cm;

/** The port spaces of RDMA CM (IBA annex A11): each has its own 65,535 ports. */
public enum ConnectorSpace {
  /** Reliable connections. */
  TCP(0x0106),
  /** Reliable connections, beside those of TCP. */
  IB(0x013F),
  /** Datagram services. */
  UDP(0x0111);

  private final int value;

  ConnectorSpace(int value) {
    this.value = value;
  }

  /** {@return the number, of which a service ID is made with a port: 16 bits} */
  public int value() {
    return value;
  }
}
