package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.IpPacket;
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

  /** More than the longest datagram takes of the shortest buffers. */
  public static final int PIECES_MOST = 300;

  MemorySegment segment = MemorySegment.NULL;
  long grh = -1;
  long at;
  int length;
  int type;
  int slid;
  int sourceQpn;
  Cast cast = Cast.UNICAST;
  boolean ipv4; // RoCE: the last 20 bytes of the GRH are an IPv4 header
  int mss;
  int pieces;
  final long[] pieceAt = new long[PIECES_MOST];
  final int[] pieceLength = new int[PIECES_MOST];
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

  /** {@return bytes of data in each of the segments that came together, 0 when it is one packet} */
  public int mss() {
    return mss;
  }

  /**
   * {@return in how many pieces the packet lies: more than one only when segments came together}
   */
  public int pieces() {
    return mss == 0 ? 1 : pieces;
  }

  /**
   * {@return where a piece of the packet begins}
   *
   * @param i from 0, where {@link #at} is
   */
  public long pieceAt(int i) {
    return i == 0 ? at : pieceAt[i];
  }

  /**
   * {@return how long a piece of the packet is}
   *
   * @param i from 0
   */
  public int pieceLength(int i) {
    return mss == 0 ? length : pieceLength[i];
  }

  /** {@return bytes of the IP and TCP headers of segments that came together, 0 without such} */
  public int headers() {
    int first = pieceLength(0);
    boolean four = type == Encapsulation.IPV4;
    int ip = four && first > 0 ? (Octets.u8(segment, at) & 0xf) * 4 : IpPacket.V6_HEADER;
    boolean tcp = first >= ip + 20 && Octets.u8(segment, at + (four ? 9 : 6)) == IpPacket.TCP;
    int all = tcp ? ip + (Octets.u8(segment, at + ip + 12) >> 4) * 4 : 0;
    return all <= first ? all : 0;
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

  /** {@return a number that frames of one sender have in common, and seldom those of two} */
  public long sourceKey() {
    long low = connected.low();
    if (grh >= 0) {
      low = ipv4 ? Octets.u32(segment, grh + 32) : Octets.u64(segment, grh + 16);
    }
    return (low * 0x9e37_79b9_7f4a_7c15L ^ (long) slid << 24 ^ sourceQpn) * 0x9e37_79b9_7f4a_7c15L;
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
