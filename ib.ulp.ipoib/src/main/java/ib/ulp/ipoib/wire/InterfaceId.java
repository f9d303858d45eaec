package ib.ulp.ipoib.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Computes interface identifiers, the last 64 bits of an interface's IPv6 addresses. */
public final class InterfaceId {
  private static final long UNIVERSAL = 0x0200L << 48;

  private InterfaceId() {}

  /**
   * {@return the modified EUI-64 of a port GUID, as Linux computes it (RFC 4391 section 8, W11)}
   */
  public static long ofGuid(long guid) {
    return guid | UNIVERSAL;
  }

  /**
   * Returns a stable identifier that does not reveal the hardware address (RFC 7217 section 5,
   * recommended by RFC 8064).
   *
   * @param prefix high half of the addresses of the network
   * @param linkAddress link address of the interface
   * @param attempt 0, plus 1 for each duplicate that was found
   * @param secret secret key of the host
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
