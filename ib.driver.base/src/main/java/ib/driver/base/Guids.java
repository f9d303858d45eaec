package ib.driver.base;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Derives GUIDs for devices whose configuration has none. */
public final class Guids {
  private static final long GROUP = 1L << 56;
  private static final long LOCAL = 2L << 56;

  private Guids() {}

  /**
   * Returns the GUID of a name, always the same: a locally administered individual EUI-64 (IEEE
   * 802c) whose last byte is 0, so that the ports can have the numbers after it.
   *
   * @param name device name
   * @return the node GUID
   */
  public static long ofName(String name) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return (ByteBuffer.wrap(hash).getLong() & ~GROUP & ~0xffL) | LOCAL;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
