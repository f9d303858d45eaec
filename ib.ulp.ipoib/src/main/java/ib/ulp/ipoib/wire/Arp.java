package ib.ulp.ipoib.wire;

import ib.core.verbs.Gid;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An ARP packet of hardware type 32 with addresses of 20 bytes (RFC 4391 section 9.2).
 *
 * @param operation {@link #REQUEST} or {@link #REPLY}
 * @param sender link address of the sender
 * @param senderIp version 4 address of the sender, 0 in a probe (RFC 5227)
 * @param target link address of the target, all zero in a request
 * @param targetIp version 4 address of the target
 */
public record Arp(
    int operation, LinkAddress sender, int senderIp, LinkAddress target, int targetIp) {
  public static final int BYTES = 56;
  public static final int REQUEST = 1;
  public static final int REPLY = 2;

  /** The target address in a request, which is not known yet. */
  public static final LinkAddress UNKNOWN = new LinkAddress(0, 0, Gid.ZERO);

  private static final int HARDWARE = 32;

  /**
   * {@return the ARP packet; null when the bytes are none} Never throws, whatever the bytes are.
   */
  public static @Nullable Arp read(MemorySegment s, long at, long length) {
    boolean good =
        length >= BYTES
            && Octets.u16(s, at) == HARDWARE
            && Octets.u16(s, at + 2) == Encapsulation.IPV4
            && Octets.u8(s, at + 4) == LinkAddress.BYTES
            && Octets.u8(s, at + 5) == 4;
    return good
        ? new Arp(
            Octets.u16(s, at + 6),
            LinkAddress.read(s, at + 8),
            Octets.u32(s, at + 28),
            LinkAddress.read(s, at + 32),
            Octets.u32(s, at + 52))
        : null;
  }

  public void write(MemorySegment s, long at) {
    Octets.u16(s, at, HARDWARE);
    Octets.u16(s, at + 2, Encapsulation.IPV4);
    Octets.u8(s, at + 4, LinkAddress.BYTES);
    Octets.u8(s, at + 5, 4);
    Octets.u16(s, at + 6, operation);
    sender.write(s, at + 8);
    Octets.u32(s, at + 28, senderIp);
    target.write(s, at + 32);
    Octets.u32(s, at + 52, targetIp);
  }
}
