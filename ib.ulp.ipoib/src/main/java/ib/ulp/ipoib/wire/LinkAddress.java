package ib.ulp.ipoib.wire;

import ib.core.verbs.Gid;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * The link-layer address of an interface, 20 bytes (RFC 4391 section 9.1.1).
 *
 * @param flags {@link #RC} and {@link #UC} if the interface supports connected mode, else 0
 * @param qpn datagram queue pair number, 24 bits
 * @param gid GID of the port
 */
public record LinkAddress(int flags, int qpn, Gid gid) {
  public static final int BYTES = 20;

  /** The interface accepts reliable connections (RFC 4755 section 3.1). */
  public static final int RC = 0x80;

  /** The interface accepts unreliable connections (RFC 4755 section 3.1). */
  public static final int UC = 0x40;

  public LinkAddress {
    flags &= RC | UC; // the other bits are reserved
    qpn &= 0xffffff;
  }

  public static LinkAddress read(MemorySegment s, long at) {
    return new LinkAddress(
        Octets.u8(s, at),
        Octets.u32(s, at),
        new Gid(Octets.u64(s, at + 4), Octets.u64(s, at + 12)));
  }

  public void write(MemorySegment s, long at) {
    Octets.u32(s, at, flags << 24 | qpn);
    Octets.u64(s, at + 4, gid.high());
    Octets.u64(s, at + 12, gid.low());
  }

  /** {@return this address without its capability flags, for use as a key} */
  public LinkAddress plain() {
    return flags == 0 ? this : new LinkAddress(0, qpn, gid);
  }

  /** {@return the address in the form of {@code ip link}} */
  @Override
  public String toString() {
    byte[] bytes = new byte[BYTES];
    write(MemorySegment.ofArray(bytes), 0);
    return HexFormat.ofDelimiter(":").formatHex(bytes);
  }
}
