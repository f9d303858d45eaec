package ib.ulp.ipoib.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The last 64 bits of IPv6 addresses of an interface. */
public final class InterfaceId {
  private static final long UNIVERSAL = 0x0200L << 48;

  private InterfaceId() {}

  /** The modified EUI-64 of a port GUID, as Linux makes it (RFC 4391 section 8, W11). */
  public static long ofGuid(long guid) {
    return guid | UNIVERSAL;
  }

  /**
   * A stable identifier that says nothing about the hardware (RFC 7217 section 5, which RFC 8064
   * recommends).
   *
   * @param prefix of the network
   * @param linkAddress of the interface
   * @param attempt 0, and one more for each duplicate that was found
   * @param secret of the host
   */
  public static long opaque(long prefix, LinkAddress linkAddress, int attempt, byte[] secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(ByteBuffer.allocate(8).putLong(prefix).array());
      digest.update(linkAddress.gid().toBytes());
      digest.update((byte) attempt);
      return ByteBuffer.wrap(digest.digest(secret)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
