package ib.engine.wire;

import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The ICRC of RoCEv2 (IBA annex A17.3.3) for a socket, which never sees the IP and UDP headers: it
 * has them here as the CRC covers them, and what one datagram after another has in common is
 * written once. The payload is read where it lies. The value is that of {@link Icrc}. Allocates
 * nothing once made; for one thread at a time.
 */
final class DatagramIcrc {
  /**
   * The difference, by exclusive or, between the ICRCs of an acknowledgement with IPv4
   * identification 1 and with 0. It is a constant, because a CRC is affine.
   */
  static final int ACKNOWLEDGE_ONE_LATER = oneLater();

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int IP = 8; // RoCE has ones where LRH would be
  private static final int MAX_COPIED = 256; // a second update costs more than such a copy
  private static final byte ONES = (byte) 0xff; // whatever a router may change

  private final CRC32 crc = new CRC32();
  private final byte[] bytes = new byte[IP + Icrc.Network.IPV6.bytes() + 2 * MAX_COPIED];
  private final MemorySegment segment = MemorySegment.ofArray(bytes);
  private Icrc.@Nullable Network network;
  private int bth; // where it is copied to
  private long sourceHigh;
  private long sourceLow;
  private long destHigh;
  private long destLow;
  private int ports;

  private static int oneLater() {
    byte[] fromId = new byte[16 + UdpHeader.BYTES + BthOpcode.RC_ACKNOWLEDGE.headerBytes()];
    CRC32 zero = new CRC32();
    zero.update(fromId);
    fromId[1] = 1;
    CRC32 one = new CRC32();
    one.update(fromId);
    return (int) (zero.getValue() ^ one.getValue());
  }

  /**
   * Says where the datagrams that follow come from and go to; the identification is undefined then.
   *
   * @param on IPv4 or IPv6
   * @param fromHigh upper half of the source GID
   * @param fromLow lower half of the source GID
   * @param toHigh upper half of the destination GID
   * @param toLow lower half of the destination GID
   * @param sourcePort UDP source port
   * @param destPort UDP destination port
   */
  void flow(
      Icrc.Network on,
      long fromHigh,
      long fromLow,
      long toHigh,
      long toLow,
      int sourcePort,
      int destPort) {
    int both = sourcePort << 16 | destPort & 0xffff;
    if (sourceLow != fromLow
        || destLow != toLow
        || ports != both
        || sourceHigh != fromHigh
        || destHigh != toHigh
        || network != on) {
      network = on;
      sourceHigh = fromHigh;
      sourceLow = fromLow;
      destHigh = toHigh;
      destLow = toLow;
      ports = both;
      bth = IP + on.bytes();
      write(on == Icrc.Network.IPV4);
    }
  }

  private void write(boolean four) {
    Arrays.fill(bytes, ONES);
    if (four) {
      bytes[IP] = Ipv4Header.PLAIN;
      SHORT.set(bytes, IP + 6, (short) Ipv4Header.DONT_FRAGMENT);
      bytes[IP + 9] = UdpHeader.PROTOCOL;
      INT.set(bytes, IP + 12, (int) sourceLow);
      INT.set(bytes, IP + 16, (int) destLow);
    } else {
      bytes[IP] = 0x6f; // of version and traffic class the version
      bytes[IP + 6] = UdpHeader.PROTOCOL;
      LONG.set(bytes, IP + 8, sourceHigh);
      LONG.set(bytes, IP + 16, sourceLow);
      LONG.set(bytes, IP + 24, destHigh);
      LONG.set(bytes, IP + 32, destLow);
    }
    INT.set(bytes, bth - UdpHeader.BYTES, ports);
  }

  /**
   * Sets the IPv4 identification; nothing happens with IPv6.
   *
   * @param id 0 to 65535
   */
  void identification(int id) {
    if (network == Icrc.Network.IPV4) {
      SHORT.set(bytes, IP + 4, (short) id);
    }
  }

  /**
   * Calculates the ICRC of a datagram.
   *
   * @param from the memory; alive
   * @param view the same memory, whose position and limit are changed
   * @param at offset of BTH
   * @param length bytes from BTH through the padding
   * @param twice whether these are covered twice, as Linux has it for FLUSH
   * @return the ICRC
   */
  int of(MemorySegment from, ByteBuffer view, long at, int length, boolean twice) {
    boolean four = network == Icrc.Network.IPV4;
    int datagram = length + Icrc.BYTES + UdpHeader.BYTES;
    int ip = four ? Ipv4Header.BYTES + datagram : datagram;
    SHORT.set(bytes, IP + (four ? 2 : 4), (short) ip);
    SHORT.set(bytes, bth - 4, (short) datagram);
    int copied = length <= MAX_COPIED ? length : Bth.BYTES;
    MemorySegment.copy(from, at, segment, bth, copied);
    bytes[bth + 4] = ONES; // FECN, BECN, Resv6a
    int end = bth + copied;
    if (twice) {
      MemorySegment.copy(from, at, segment, end, copied);
      end += copied;
    }
    crc.reset();
    crc.update(bytes, 0, end);
    if (copied < length) {
      view.limit((int) at + length).position((int) at + copied);
      crc.update(view);
    }
    return (int) crc.getValue();
  }
}
