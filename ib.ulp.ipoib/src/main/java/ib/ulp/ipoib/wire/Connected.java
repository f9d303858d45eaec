package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;

/**
 * The private data of connected mode in connection manager messages (RFC 4755).
 *
 * @param qpn datagram queue pair number of the sender
 * @param receiveMtu the longest message in bytes that the sender receives, with the encapsulation
 */
public record Connected(int qpn, int receiveMtu) {
  /** Length of the private data of REQ, REP and REJ (RFC 4755 section 6, W13). */
  public static final int BYTES = 8;

  /** The longest message in bytes that Linux receives. */
  public static final int LINUX_RECEIVE_MTU = 65_524;

  private static final long LINUX = 0x10L << 56;
  private static final long RFC = 0x01L << 56;

  public static Connected read(MemorySegment s, long at) {
    return new Connected(Octets.u32(s, at) & 0xffffff, Octets.u32(s, at + 4));
  }

  /** {@return the private data of a message, of which the rest is zeros} */
  public static Connected of(byte[] privateData) {
    return read(MemorySegment.ofArray(privateData), 0);
  }

  /** {@return the private data of a message} */
  public byte[] toBytes() {
    byte[] bytes = new byte[BYTES];
    write(MemorySegment.ofArray(bytes), 0);
    return bytes;
  }

  public void write(MemorySegment s, long at) {
    Octets.u32(s, at, qpn & 0xffffff);
    Octets.u32(s, at + 4, receiveMtu);
  }

  /**
   * {@return the service ID that Linux listens on, and that this side asks for by default (W14)}
   */
  public static long linuxServiceId(int qpn) {
    return LINUX | qpn & 0xffffff;
  }

  /** {@return the service ID of RFC 4755 section 3.5 (W14)} */
  public static long rfcServiceId(int qpn) {
    return RFC | qpn & 0xffffff;
  }

  /** {@return whether a service ID, in either form, is that of a datagram queue pair} */
  public static boolean isFor(long serviceId, int qpn) {
    return serviceId == linuxServiceId(qpn) || serviceId == rfcServiceId(qpn);
  }
}
