package ib.core.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The invariant CRC (IBA vol. 1 section 7.8.1; annex A17.3.3 for RoCEv2): the CRC-32 of Ethernet
 * over the packet from its first header to its padding, with ones in place of whatever a switch or
 * router may change. It is sent least significant byte first. Allocates nothing once made; not
 * thread-safe.
 */
public final class Icrc {
  /** Length in bytes. */
  public static final int BYTES = 4;

  private static final ValueLayout.OfInt LITTLE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int LRH_MASK = 8; // RoCE has ones where LRH would be
  private static final int CHUNK = 4096;

  /** The headers before BTH. */
  public enum Network {
    /** LRH. */
    LOCAL(Lrh.BYTES),
    /** LRH and GRH. */
    GLOBAL(Lrh.BYTES + Grh.BYTES),
    /** IPv4 header without options, and UDP header. */
    IPV4(20 + 8),
    /** IPv6 header without extensions, and UDP header. */
    IPV6(40 + 8);

    private final int bytes;

    Network(int bytes) {
      this.bytes = bytes;
    }

    /** {@return the length of these headers} */
    public int bytes() {
      return bytes;
    }
  }

  private final CRC32 crc = new CRC32();
  private final byte[] scratch = new byte[CHUNK];
  private final MemorySegment scratchSegment = MemorySegment.ofArray(scratch);

  /** Makes a calculator. */
  public Icrc() {}

  /**
   * Calculates the ICRC of a packet.
   *
   * @param network what lies before BTH
   * @param headers where it lies
   * @param headersAt offset of its first byte
   * @param bytes where the packet lies from BTH on; may be the same memory
   * @param bth offset of BTH
   * @param length bytes from BTH through the padding, at least {@link Bth#BYTES}
   * @return the CRC, to be stored with {@link #store}
   * @throws IndexOutOfBoundsException if they do not lie within the memory
   */
  public int of(
      Network network,
      MemorySegment headers,
      long headersAt,
      MemorySegment bytes,
      long bth,
      int length) {
    int at = mask(network, headers, headersAt);
    int n = Math.min(length, CHUNK - at);
    MemorySegment.copy(bytes, bth, scratchSegment, at, n);
    scratch[at + 4] = (byte) 0xff; // FECN, BECN, Resv6a
    crc.reset();
    crc.update(scratch, 0, at + n);
    for (int done = n; done < length; done += n) {
      n = Math.min(length - done, CHUNK);
      MemorySegment.copy(bytes, bth + done, scratchSegment, 0, n);
      crc.update(scratch, 0, n);
    }
    return (int) crc.getValue();
  }

  /** Copies the headers with their variant fields set to ones; returns their length. */
  private int mask(Network network, MemorySegment headers, long at) {
    if (network == Network.LOCAL) {
      MemorySegment.copy(headers, at, scratchSegment, 0, Lrh.BYTES);
      scratch[0] |= (byte) 0xf0; // VL
      return Lrh.BYTES;
    }
    for (int i = 0; i < LRH_MASK; i++) {
      scratch[i] = (byte) 0xff;
    }
    long skipped = network == Network.GLOBAL ? Lrh.BYTES : 0;
    int n = network.bytes() - (int) skipped;
    MemorySegment.copy(headers, at + skipped, scratchSegment, LRH_MASK, n);
    if (network == Network.IPV4) {
      ones(1, 1); // type of service
      ones(8, 1); // time to live
      ones(10, 2); // header checksum
    } else {
      scratch[LRH_MASK] |= 0x0f; // traffic class, flow label
      ones(1, 3);
      ones(7, 1); // hop limit
    }
    if (network != Network.GLOBAL) {
      ones(n - 2, 2); // UDP checksum
    }
    return LRH_MASK + n;
  }

  private void ones(int at, int count) {
    for (int i = 0; i < count; i++) {
      scratch[LRH_MASK + at + i] = (byte) 0xff;
    }
  }

  /**
   * Writes an ICRC as it is sent.
   *
   * @param bytes the memory
   * @param at where
   * @param icrc the CRC
   */
  public static void store(MemorySegment bytes, long at, int icrc) {
    bytes.set(LITTLE, at, icrc);
  }

  /**
   * Reads an ICRC.
   *
   * @param bytes the memory
   * @param at where
   * @return the CRC as {@link #of} gives it
   */
  public static int load(MemorySegment bytes, long at) {
    return bytes.get(LITTLE, at);
  }
}
