package ib.ulp.ipoib.link;

/**
 * How an interface is to be.
 *
 * @param pkey of its partition, with the membership bit; 0 takes the first of the port's table (I1)
 * @param sends buffers to send from, 64 to 8192 (I2)
 * @param receives buffers to receive into, 64 to 8192 (I2)
 * @param mtu bytes that the administrator wants at the most, 0 for what the group has (I9)
 */
public record LinkConfig(int pkey, int sends, int receives, int mtu) {
  /** As Linux has it. */
  public static final LinkConfig DEFAULT = new LinkConfig(0, 128, 256, 0);

  public LinkConfig withPkey(int value) {
    return new LinkConfig(value, sends, receives, mtu);
  }
}
