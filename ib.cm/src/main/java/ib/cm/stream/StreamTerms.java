package ib.cm.stream;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * The private data of rsockets, 40 bytes in network order (RS-1).
 *
 * @param bigEndian byte order of this side's list of buffers
 * @param credits messages that this side can take, 1 to 65,535
 * @param listAddress address of this side's list of two buffers, which the peer fills
 * @param listKey its key
 * @param address first buffer of this side, for the peer's data
 * @param key its key
 * @param length its bytes
 * @param regions entries of this side's table of regions, behind the list: how many regions the
 *     peer may offer for direct writes; this side has at most 128, others may have 32,512
 */
record StreamTerms(
    boolean bigEndian,
    int credits,
    long listAddress,
    int listKey,
    long address,
    int key,
    int length,
    int regions) {
  static final int BYTES = 40;

  /** The entries of the list. */
  static final int ENTRIES = 2;

  private static final int VERSION = 1;
  private static final int BIG_ENDIAN = 1;
  private static final int DIRECT = 2;
  private static final int MAX_LITERAL = 128; // larger numbers are scaled (RS-11)
  private static final int SCALED = 127;
  private static final int SHIFT = 8;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES)
        .put((byte) VERSION)
        .put((byte) ((bigEndian ? BIG_ENDIAN : 0) | (regions > 0 ? DIRECT : 0)))
        .putShort((short) credits)
        .putInt(regions)
        .putLong(listAddress)
        .putInt(listKey)
        .putInt(ENTRIES)
        .putLong(address)
        .putInt(key)
        .putInt(length)
        .array();
  }

  /**
   * Reads the peer's terms.
   *
   * @param data private data, which may be longer
   * @throws ProtocolException when they are not those of rsockets
   */
  static StreamTerms of(byte[] data) throws ProtocolException {
    if (data.length < BYTES) {
      throw new ProtocolException("the peer is no stream: private data of " + data.length);
    }
    ByteBuffer in = ByteBuffer.wrap(data);
    int version = in.get();
    int flags = in.get();
    int credits = Short.toUnsignedInt(in.getShort());
    int direct = in.getInt() & 0xff;
    long listAddress = in.getLong();
    int listKey = in.getInt();
    int entries = in.getInt();
    StreamTerms read =
        new StreamTerms(
            (flags & BIG_ENDIAN) != 0,
            credits,
            listAddress,
            listKey,
            in.getLong(),
            in.getInt(),
            in.getInt(),
            (flags & DIRECT) == 0 ? 0 : regions(direct));
    if (version != VERSION || entries != ENTRIES || credits == 0 || read.length <= 0) {
      throw new ProtocolException(
          "the peer is no stream that ib knows: version "
              + version
              + ", "
              + entries
              + " buffers, "
              + credits
              + " credits, "
              + read.length
              + " bytes");
    }
    return read;
  }

  private static int regions(int scaled) {
    return scaled <= MAX_LITERAL ? scaled : (scaled & SCALED) << SHIFT;
  }
}
