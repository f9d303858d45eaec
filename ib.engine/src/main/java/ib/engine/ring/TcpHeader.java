package ib.engine.ring;

import ib.engine.mr.Checksum;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Encapsulation (RFC 4391 section 6), IP and TCP header of a large send, and how those of its
 * segments differ (RFC 9293, RFC 6864 for the identification, RFC 3168 for CWR). Data path.
 */
public final class TcpHeader {
  private static final int IPV4 = 0x0800;
  private static final int IPV6 = 0x86dd;
  private static final int IP = 4; // behind the encapsulation
  private static final int TCP = 6;
  private static final int MIN_TCP = 20;
  private static final int MIN_V4 = 20;
  private static final int V6_BYTES = 40;
  private static final int FIN_PSH = 0x09;
  private static final int CWR = 0x80;
  private static final int SYN_RST_URG = 0x26;
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private TcpHeader() {}

  /** Whether so many bytes are such a header, of a TCP segment that may be cut. */
  public static boolean holds(byte[] b, int length) {
    int tcp = tcp(b, length);
    return tcp > 0
        && (b[tcp + 12] >> 4 & 0xf) * 4 == length - tcp
        && length - tcp >= MIN_TCP
        && (b[tcp + 13] & SYN_RST_URG) == 0;
  }

  /** {@return where TCP begins, 0 when it does not} */
  private static int tcp(byte[] b, int length) {
    if (length < IP + MIN_V4 + MIN_TCP) {
      return 0;
    }
    int version = b[IP] >> 4 & 0xf;
    if (u16(b, 0) == IPV4 && version == 4 && b[IP + 9] == TCP && (u16(b, IP + 6) & 0x3fff) == 0) {
      int bytes = (b[IP] & 0xf) * 4;
      return bytes >= MIN_V4 && IP + bytes + MIN_TCP <= length ? IP + bytes : 0;
    }
    boolean six = u16(b, 0) == IPV6 && version == 6 && b[IP + 6] == TCP;
    return six && length >= IP + V6_BYTES + MIN_TCP ? IP + V6_BYTES : 0;
  }

  /**
   * Makes the header of a segment out of that of the whole.
   *
   * @param of the header of the whole
   * @param index which segment, from 0
   * @param segments how many there are
   * @param offset of its data in the whole's
   * @param bytes of its data
   * @param data sum over its data
   */
  public static void segment(
      LargeHeader of, int index, int segments, int offset, int bytes, long data) {
    byte[] b = of.cut();
    int length = of.length();
    int at = index * length;
    boolean last = index == segments - 1;
    int ip = at + IP;
    boolean four = u16(b, at) == IPV4;
    int header = four ? (b[ip] & 0xf) * 4 : V6_BYTES;
    int tcp = ip + header;
    int segment = at + length - tcp + bytes;
    if (four) {
      u16(b, ip + 2, header + segment);
      u16(b, ip + 4, u16(b, ip + 4) + index);
      u16(b, ip + 10, 0);
      u16(b, ip + 10, Checksum.fold(Checksum.sum(b, ip, header)));
    } else {
      u16(b, ip + 4, segment);
    }
    INT.set(b, tcp + 4, (int) INT.get(b, tcp + 4) + offset);
    int flags = b[tcp + 13] & (last ? 0xff : ~FIN_PSH) & (index == 0 ? 0xff : ~CWR);
    b[tcp + 13] = (byte) flags;
    u16(b, tcp + 16, 0);
    int from = four ? ip + 12 : ip + 8; // both addresses
    long sum = Checksum.sum(b, from, tcp - from - (four ? header - MIN_V4 : 0));
    sum += TCP + segment + Checksum.sum(b, tcp, at + length - tcp) + data;
    u16(b, tcp + 16, Checksum.fold(sum));
  }

  private static int u16(byte[] b, int at) {
    return (short) SHORT.get(b, at) & 0xffff;
  }

  private static void u16(byte[] b, int at, int value) {
    SHORT.set(b, at, (short) value);
  }
}
