package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/** A received packet where it lies: a view that is laid over one after another. */
public final class Frame {
  /** How it was addressed (D6). */
  public enum Cast {
    UNICAST,
    MULTICAST,
    BROADCAST
  }

  MemorySegment segment = MemorySegment.NULL;
  long grh = -1;
  long at;
  int length;
  int type;
  int slid;
  int sourceQpn;
  Cast cast = Cast.UNICAST;
  boolean ipv4; // RoCE: the last 20 bytes of the GRH are an IPv4 header
  Gid connected = Gid.ZERO; // of the peer of the connection that it came by

  /** {@return the memory it lies in} */
  public MemorySegment segment() {
    return segment;
  }

  /** {@return where the IP or ARP packet begins} */
  public long at() {
    return at;
  }

  /** {@return its length, without the encapsulation} */
  public int length() {
    return length;
  }

  /** {@return its EtherType} */
  public int type() {
    return type;
  }

  /** {@return LID of the sender} */
  public int slid() {
    return slid;
  }

  /** {@return queue pair of the sender} */
  public int sourceQpn() {
    return sourceQpn;
  }

  public Cast cast() {
    return cast;
  }

  /** {@return the GID of the sender; zero when it said none} */
  public Gid sourceGid() {
    if (ipv4 && grh >= 0) {
      return new Gid(0, 0xffffL << 32 | Octets.u32(segment, grh + 32) & 0xffff_ffffL);
    }
    return grh < 0
        ? connected
        : new Gid(Octets.u64(segment, grh + 8), Octets.u64(segment, grh + 16));
  }
}
