package ib.core.mad.cm;

import ib.core.verbs.IbInvalidException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The private header of Linux's RDMA CM (IBA annex A11), with which the private data of a REQ and
 * of a SIDR_REQ begin: who connects to whom, by address.
 *
 * @param port port of the sender, 16 bits
 * @param source address of the sender
 * @param destination address of the receiver, of the same family
 */
public record CmaHeader(int port, InetAddress source, InetAddress destination) {
  /** Length of the header. */
  public static final int BYTES = 36;

  private static final int ADDRESS_BYTES = 16;
  private static final int IPV4_BYTES = 4;
  private static final int BROADCAST = -1;

  /**
   * {@return why private data do not begin with a header of this version (RD-2); null if they do}
   *
   * @param data of a REQ or a SIDR_REQ
   */
  public static @Nullable String refusal(byte[] data) {
    if (!begins(data)) {
      return (data[0] == 0 ? "IP version" : "version") + " of the private header";
    }
    CmaHeader h = read(data);
    boolean loops = h.source.isLoopbackAddress() && !h.destination.isLoopbackAddress();
    return loops || special(h.source) || special(h.destination)
        ? "special address in the private header"
        : null;
  }

  /**
   * {@return whether private data begin with a header of this version, whatever its addresses are}
   *
   * @param data of a REQ or a SIDR_REQ
   */
  public static boolean begins(byte[] data) {
    int ip = data[1] >>> 4 & 0xf;
    return data[0] == 0 && (ip == 4 || ip == 6);
  }

  private static boolean special(InetAddress a) {
    byte[] raw = a.getAddress();
    boolean broadcast = raw.length == IPV4_BYTES && ByteBuffer.wrap(raw).getInt() == BROADCAST;
    return broadcast || a.isAnyLocalAddress() || a.isMulticastAddress();
  }

  /**
   * {@return the header with which private data begin}
   *
   * @param data of a REQ or a SIDR_REQ, not refused
   */
  public static CmaHeader read(byte[] data) {
    boolean four = (data[1] >>> 4 & 0xf) == 4;
    int port = (data[2] & 0xff) << 8 | data[3] & 0xff;
    return new CmaHeader(port, address(data, 4, four), address(data, 20, four));
  }

  private static InetAddress address(byte[] data, int at, boolean four) {
    int from = four ? at + ADDRESS_BYTES - IPV4_BYTES : at;
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(data, from, at + ADDRESS_BYTES));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // only for another length
    }
  }

  /** {@return the private data behind the header} */
  public static byte[] consumer(byte[] data) {
    return Arrays.copyOfRange(data, BYTES, data.length);
  }

  /**
   * Checks the length of private data behind a header.
   *
   * @param consumer private data
   * @param kind the message: a REQ or a SIDR_REQ
   * @throws IbInvalidException when both together are more than the message carries (CM-10)
   */
  public static void check(byte[] consumer, CmKind kind) {
    int most = kind.privateBytes() - BYTES;
    if (consumer.length > most) {
      String what = "private data of a " + kind + " by address";
      throw new IbInvalidException(what, consumer.length + " bytes", "at most " + most);
    }
  }

  /**
   * {@return the header and the private data behind it}
   *
   * @param consumer private data
   * @param kind the message: a REQ or a SIDR_REQ
   * @throws IbInvalidException when both together are more than the message carries (CM-10)
   */
  public byte[] before(byte[] consumer, CmKind kind) {
    check(consumer, kind);
    byte[] from = source.getAddress();
    byte[] to = destination.getAddress();
    ByteBuffer all = ByteBuffer.allocate(BYTES + consumer.length);
    all.put(1, (byte) (from.length == IPV4_BYTES ? 0x40 : 0x60)).putShort(2, (short) port);
    all.put(4 + ADDRESS_BYTES - from.length, from);
    all.put(4 + 2 * ADDRESS_BYTES - to.length, to);
    all.put(BYTES, consumer);
    return all.array();
  }
}
