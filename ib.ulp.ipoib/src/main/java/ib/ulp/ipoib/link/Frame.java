package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * A view of a received packet in its receive buffer. One frame is reused for all packets; used on
 * the loop's thread only.
 */
public final class Frame {
  /** How the packet was addressed (D6). */
  public enum Cast {
    UNICAST,
    MULTICAST,
    BROADCAST
  }

  /** The most pieces of a packet. */
  public static final int MAX_PIECES = 300;

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
  final long[] pieceAt = new long[MAX_PIECES];
  final int[] pieceLength = new int[MAX_PIECES];
  Gid connected = Gid.ZERO; // GID of the peer, if the packet came on a connection

  /** {@return the memory that contains the packet} */
  public MemorySegment segment() {
    return segment;
  }

  /** {@return the offset of the IP or ARP packet in {@link #segment}} */
  public long at() {
    return at;
  }

  /** {@return the packet's length in bytes, without the encapsulation} */
  public int length() {
    return length;
  }

  /**
   * {@return payload bytes of each TCP segment if several were coalesced, or if the sender's kernel
   * has neither summed nor cut the packet; 0 for any other packet}
   */
  public int mss() {
    return mss;
  }

  /**
   * {@return the number of pieces of memory that hold the packet; above 1 only for coalesced
   * segments}
   */
  public int pieces() {
    return mss == 0 ? 1 : pieces;
  }

  /**
   * {@return the offset of a piece of the packet in {@link #segment}}
   *
   * @param i from 0; piece 0 begins at {@link #at}
   */
  public long pieceAt(int i) {
    return i == 0 ? at : pieceAt[i];
  }

  /**
   * {@return the length of a piece of the packet in bytes}
   *
   * @param i from 0
   */
  public int pieceLength(int i) {
    return mss == 0 ? length : pieceLength[i];
  }

  /** {@return bytes of the IP and TCP headers; 0 if the packet is not a whole TCP header} */
  public int headers() {
    int first = pieceLength(0);
    boolean four = type == Encapsulation.IPV4;
    int ip = four && first > 0 ? (Octets.u8(segment, at) & 0xf) * 4 : IpPacket.V6_HEADER;
    boolean tcp = first >= ip + 20 && Octets.u8(segment, at + (four ? 9 : 6)) == IpPacket.TCP;
    int all = tcp ? ip + (Octets.u8(segment, at + ip + 12) >> 4) * 4 : 0;
    return all <= first ? all : 0;
  }

  /** {@return the EtherType} */
  public int type() {
    return type;
  }

  /** {@return the sender's LID} */
  public int slid() {
    return slid;
  }

  /** {@return the sender's queue pair number} */
  public int sourceQpn() {
    return sourceQpn;
  }

  /**
   * {@return a hash of the sender: equal for frames of one sender, rarely equal for two senders}
   */
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

  /** {@return the sender's GID; zero if the packet has none} */
  public Gid sourceGid() {
    if (ipv4 && grh >= 0) {
      return new Gid(0, 0xffffL << 32 | Octets.u32(segment, grh + 32) & 0xffff_ffffL);
    }
    return grh < 0
        ? connected
        : new Gid(Octets.u64(segment, grh + 8), Octets.u64(segment, grh + 16));
  }
}
