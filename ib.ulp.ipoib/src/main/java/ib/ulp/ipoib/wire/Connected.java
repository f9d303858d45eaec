package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;

/**
 * What connected mode puts into the messages of the connection manager (RFC 4755).
 *
 * @param qpn of the datagram service of the sender
 * @param receiveMtu bytes that the sender can receive, with the encapsulation
 */
public record Connected(int qpn, int receiveMtu) {
  /** Length of the private data of REQ, REP and REJ (RFC 4755 section 6, W13). */
  public static final int BYTES = 8;

  /** What Linux can receive. */
  public static final int LINUX_RECEIVE_MTU = 65_524;

  private static final long LINUX = 0x10L << 56;
  private static final long RFC = 0x01L << 56;

  public static Connected read(MemorySegment s, long at) {
    return new Connected(Octets.u32(s, at) & 0xffffff, Octets.u32(s, at + 4));
  }

  public void write(MemorySegment s, long at) {
    Octets.u32(s, at, qpn & 0xffffff);
    Octets.u32(s, at + 4, receiveMtu);
  }

  /** The service that Linux listens on, and that we ask for (W14). */
  public static long linuxServiceId(int qpn) {
    return LINUX | qpn & 0xffffff;
  }

  /** The service of RFC 4755 section 3.5 (W14). */
  public static long rfcServiceId(int qpn) {
    return RFC | qpn & 0xffffff;
  }

  /** {@return whether a service is ours, in either spelling} */
  public static boolean isFor(long serviceId, int qpn) {
    return serviceId == linuxServiceId(qpn) || serviceId == rfcServiceId(qpn);
  }
}
