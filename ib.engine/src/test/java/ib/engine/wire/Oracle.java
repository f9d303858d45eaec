package ib.engine.wire;

import ib.core.wire.DropReason;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on BTH and the lengths, written from the tables of IBA 9.2 and 9.3 by length of
 * headers, and not from the opcode table that the codecs use.
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
}
