package ib.engine.wire;

import ib.core.wire.DropReason;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on BTH and the lengths, written from the tables of IBA 9.2 and 9.3 by length of
 * headers, and not from the opcode table that the codecs use; and on whole packets.
 */
final class Oracle {
  private static final int ICRC = 4;

  /** By opcode: length of the headers in the low byte, payload rule above; 0 when unknown. */
  private static final int[] TABLE = new int[256];

  private static final int DATA = 0;
  private static final int NONE = 1 << 8;
  private static final int EIGHT = 2 << 8;
  private static final int SIXTEEN = 3 << 8;

  static {
    // nothing but BTH
    row(12 | DATA, 0x00, 0x01, 0x02, 0x04, 0x07, 0x08, 0x0E);
    row(12 | DATA, 0x20, 0x21, 0x22, 0x24, 0x27, 0x28);
    row(12 | SIXTEEN, 0x81);
    // four bytes more: immediate, key to invalidate, AETH
    row(16 | DATA, 0x03, 0x05, 0x09, 0x16, 0x17, 0x0D, 0x0F, 0x10, 0x23, 0x25, 0x29);
    row(16 | NONE, 0x11);
    // eight: DETH
    row(20 | DATA, 0x64);
    // twelve: DETH and immediate; AETH and atomic acknowledgement
    row(24 | DATA, 0x65);
    row(24 | NONE, 0x12);
    // sixteen: RETH
    row(28 | DATA, 0x06, 0x0A, 0x26, 0x2A);
    row(28 | NONE, 0x0C);
    row(28 | EIGHT, 0x1D);
    // twenty: RETH and immediate; FETH and RETH
    row(32 | DATA, 0x0B, 0x2B);
    row(32 | NONE, 0x1C);
    // twenty-eight: AtomicETH
    row(40 | NONE, 0x13, 0x14);
  }

  private Oracle() {}

  private static void row(int what, int... opcodes) {
    for (int opcode : opcodes) {
      TABLE[opcode] = what;
    }
  }

  static int headers(int opcode) {
    return TABLE[opcode] & 0xff;
  }

  /** The verdict, when the ICRC is right. */
  static @Nullable DropReason judge(int opcode, int length, int pad, int tver) {
    if (length < 12 + ICRC) {
      return DropReason.SHORT;
    }
    if (tver != 0) {
      return DropReason.TVER;
    }
    if (TABLE[opcode] == 0) {
      return DropReason.OPCODE;
    }
    if (length < headers(opcode) + ICRC) {
      return DropReason.SHORT;
    }
    int payload = length - headers(opcode) - ICRC - pad;
    if (payload < 0) {
      return DropReason.PAD;
    }
    boolean fits =
        length % 4 == 0
            && switch (TABLE[opcode] & ~0xff) {
              case NONE -> payload == 0;
              case EIGHT -> payload == 8;
              case SIXTEEN -> payload == 16;
              default -> payload <= 4096;
            };
    return fits ? null : DropReason.LENGTH;
  }

  private static int u8(byte[] b, int at) {
    return b[at] & 0xff;
  }

  private static int u16(byte[] b, int at) {
    return u8(b, at) << 8 | u8(b, at + 1);
  }

  /** The verdict on what begins with BTH: the ICRC is over what lies before it, too. */
  private static @Nullable DropReason transport(byte[] b, int bth, int end, byte[] covered) {
    int length = end - bth;
    if (length < 12 + ICRC) {
      return DropReason.SHORT;
    }
    DropReason reason = judge(u8(b, bth), length, b[bth + 1] >>> 4 & 3, b[bth + 1] & 15);
    if (reason != null) {
      return reason;
    }
    CRC32 crc = new CRC32();
    crc.update(covered);
    crc.update(b, bth, 4);
    crc.update(0xff);
    crc.update(b, bth + 5, length - 5 - ICRC);
    int sent = Integer.reverseBytes(u16(b, end - 4) << 16 | u16(b, end - 2));
    return (int) crc.getValue() == sent ? null : DropReason.ICRC;
  }

  /** {@return the bytes before BTH that the ICRC covers: ones for LRH, and at the given places} */
  private static byte[] masked(byte[] b, int from, int to, int... ones) {
    byte[] covered = new byte[8 + to - from];
    Arrays.fill(covered, 0, 8, (byte) 0xff);
    System.arraycopy(b, from, covered, 8, to - from);
    for (int at : ones) {
      covered[8 + at] = (byte) 0xff;
    }
    return covered;
  }

  /** The verdict on LRH to VCRC. */
  static @Nullable DropReason link(byte[] b) {
    int end = b.length - 2;
    if (b.length < 8 + 12 + 4 + 2) {
      return DropReason.SHORT;
    } else if ((b[0] & 15) != 0) {
      return DropReason.LVER;
    } else if ((b[1] & 2) == 0) {
      return DropReason.LNH;
    } else if ((u16(b, 4) & 0x7ff) * 4 != end) {
      return DropReason.LENGTH;
    }
    boolean global = (b[1] & 3) == 3;
    int bth = global ? 48 : 8;
    if (end < bth + 12 + 4) {
      return DropReason.SHORT;
    } else if (global && (u8(b, 8) >>> 4 != 6 || u8(b, 14) != 0x1b)) {
      return DropReason.GRH;
    } else if (global && u16(b, 12) != end - bth) {
      return DropReason.LENGTH;
    } else if (vcrc(b, end) != (u8(b, end) | u8(b, end + 1) << 8)) {
      return DropReason.VCRC;
    }
    byte[] covered = masked(b, 8, bth, global ? new int[] {1, 2, 3, 7} : new int[0]);
    if (global) {
      covered[8] |= 0x0f;
    } else {
      System.arraycopy(b, 0, covered, 0, 8);
      covered[0] |= (byte) 0xf0;
    }
    return transport(b, bth, end, covered);
  }

  private static int vcrc(byte[] b, int length) {
    int register = 0xffff;
    for (int i = 0; i < length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        int out = register ^ b[i] >>> bit;
        register = register >>> 1 ^ ((out & 1) != 0 ? 0xd008 : 0);
      }
    }
    return ~register & 0xffff;
  }

  /** The verdict on an Ethernet frame. */
  static @Nullable DropReason roce(byte[] b) {
    if (b.length < 14) {
      return DropReason.SHORT;
    }
    int type = u16(b, 12);
    if (type != 0x0800 && type != 0x86dd) {
      return DropReason.NOT_ROCE;
    }
    boolean four = type == 0x0800;
    int udp = 14 + (four ? 20 : 40);
    if (b.length < udp + 8) {
      return DropReason.SHORT;
    } else if (!four && u8(b, 14) >>> 4 != 6) {
      return DropReason.IP;
    } else if (u8(b, four ? 23 : 20) != 17) {
      return DropReason.NOT_ROCE;
    } else if (four && !wholeIpv4(b)) {
      return DropReason.IP;
    }
    int end = 14 + (four ? u16(b, 16) : 40 + u16(b, 18));
    if (end > b.length || end < udp + 8) {
      return DropReason.LENGTH;
    } else if (u16(b, udp + 2) != 4791) {
      return DropReason.NOT_ROCE;
    } else if (u16(b, udp + 4) != end - udp) {
      return DropReason.LENGTH;
    }
    int[] ones = four ? new int[] {1, 8, 10, 11, 26, 27} : new int[] {1, 2, 3, 7, 46, 47};
    byte[] covered = masked(b, 14, udp + 8, ones);
    covered[8] |= (byte) (four ? 0 : 0x0f);
    return transport(b, udp + 8, end, covered);
  }

  private static boolean wholeIpv4(byte[] b) {
    int sum = 0;
    for (int i = 0; i < 20; i += 2) {
      sum += u16(b, 14 + i);
    }
    return b[14] == 0x45 && (u16(b, 20) & 0xbfff) == 0 && sum % 0xffff == 0;
  }
}
