package ib.ulp.ipoib.link;

/**
 * The configuration of an interface.
 *
 * @param pkey P_Key of the partition, with the membership bit; 0: the first P_Key of the port's
 *     table (I1)
 * @param sends number of send buffers, 64 to 8192 (I2)
 * @param receives number of receive buffers, 64 to 8192 (I2)
 * @param mtu largest MTU in bytes; 0: the largest that the mode allows (I9)
 * @param connected whether the interface starts in connected mode
 * @param rfcService whether requests use RFC 4755's form of the service ID instead of Linux's (W14)
 * @param roce whether RoCE ports get interfaces too
 * @param umcast whether groups that other users of the port have joined are left to them (I12)
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
  /** Linux's defaults: 128 send buffers, 256 receive buffers, datagram mode. */
  public static final LinkConfig DEFAULT = new LinkConfig(0, 128, 256, 0);

  /** Creates a configuration for datagram mode. */
  public LinkConfig(int pkey, int sends, int receives, int mtu) {
    this(pkey, sends, receives, mtu, false, false, false, false);
  }

  public LinkConfig withPkey(int value) {
    return new LinkConfig(value, sends, receives, mtu, connected, rfcService, roce, umcast);
  }

  /** {@return this configuration with {@code connected} set} */
  public LinkConfig withConnected(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, value, rfcService, roce, umcast);
  }

  /** {@return this configuration with {@code rfcService} set} */
  public LinkConfig withRfcService(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, value, roce, umcast);
  }

  /** {@return this configuration with {@code roce} set} */
  public LinkConfig withRoce(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, rfcService, value, umcast);
  }

  /** {@return this configuration with {@code umcast} set} */
  public LinkConfig withUmcast(boolean value) {
    return new LinkConfig(pkey, sends, receives, mtu, connected, rfcService, roce, value);
  }
}
