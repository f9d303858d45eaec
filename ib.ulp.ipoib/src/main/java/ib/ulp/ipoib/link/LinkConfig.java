package ib.ulp.ipoib.link;

/**
 * How an interface is to be.
 *
 * @param pkey of its partition, with the membership bit; 0 takes the first of the port's table (I1)
 * @param sends buffers to send from, 64 to 8192 (I2)
 * @param receives buffers to receive into, 64 to 8192 (I2)
 * @param mtu bytes that the administrator wants at the most, 0 for what the mode gives (I9)
 * @param connected whether it begins in connected mode
 * @param rfcService whether it asks for connections as RFC 4755 spells the service, not as Linux
 *     does (W14)
 * @param roce whether ports of RoCE have interfaces too
 * @param umcast whether groups that others have joined on the port are left to them (I12)
 */
public record LinkConfig(
    int pkey,
    int sends,
    int receives,
    int mtu,
    boolean connected,
    boolean rfcService,
    boolean roce,
    boolean umcast) {
  /** As Linux has it. */
  public static final LinkConfig DEFAULT = new LinkConfig(0, 128, 256, 0);

  /** Datagram mode. */
  public LinkConfig(int pkey, int sends, int receives, int mtu) {
    this(pkey, sends, receives, mtu, false, false, false, false);
  }

  public LinkConfig withPkey(int value) {
    return new LinkConfig(value, sends, receives, mtu, connected, rfcService, roce, umcast);
  }

  /** {@return the same in connected mode, or in datagram mode} */
  public LinkConfig withConnected(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, value, rfcService, roce, umcast);
  }

  /** {@return the same, asking for the service of RFC 4755, or of Linux} */
  public LinkConfig withRfcService(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, value, roce, umcast);
  }

  /** {@return the same, for ports of RoCE too, or not} */
  public LinkConfig withRoce(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, rfcService, value, umcast);
  }

  /** {@return the same, leaving groups to others that have joined them, or not} */
  public LinkConfig withUmcast(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, rfcService, roce, value);
  }
}
