package ib.engine.qp;

import ib.core.verbs.QpType;

/**
 * The opcodes of BTH as a table (IBA vol. 1 table 38): what each is, and where it stands in a
 * message.
 */
final class Opcode {
  static final int RC = 0x00;
  static final int UC = 0x20;
  static final int UD = 0x60;

  static final int SEND_FIRST = 0x00;
  static final int SEND_MIDDLE = 0x01;
  static final int SEND_LAST = 0x02;
  static final int SEND_LAST_IMM = 0x03;
  static final int SEND_ONLY = 0x04;
  static final int SEND_ONLY_IMM = 0x05;
  static final int WRITE_FIRST = 0x06;
  static final int WRITE_MIDDLE = 0x07;
  static final int WRITE_LAST = 0x08;
  static final int WRITE_LAST_IMM = 0x09;
  static final int WRITE_ONLY = 0x0A;
  static final int WRITE_ONLY_IMM = 0x0B;
  static final int READ_REQUEST = 0x0C;
  static final int READ_RESPONSE_FIRST = 0x0D;
  static final int READ_RESPONSE_MIDDLE = 0x0E;
  static final int READ_RESPONSE_LAST = 0x0F;
  static final int READ_RESPONSE_ONLY = 0x10;
  static final int ACKNOWLEDGE = 0x11;
  static final int ATOMIC_ACKNOWLEDGE = 0x12;
  static final int COMPARE_SWAP = 0x13;
  static final int FETCH_ADD = 0x14;
  static final int SEND_LAST_INV = 0x16;
  static final int SEND_ONLY_INV = 0x17;
  static final int FLUSH_REQUEST = 0x1C;
  static final int ATOMIC_WRITE_REQUEST = 0x1D;

  // what a row says
  static final int SEND = 1;
  static final int WRITE = 1 << 1;
  static final int READ = 1 << 2;
  static final int RESPONSE = 1 << 3;
  static final int ATOMIC = 1 << 4;
  static final int START = 1 << 5;
  static final int END = 1 << 6;
  static final int IMM = 1 << 7;
  static final int INV = 1 << 8;
  static final int FLUSH = 1 << 9;
  static final int ATOMIC_WRITE = 1 << 10;

  /** Requests that have an answer of their own, whose results a responder keeps. */
  static final int ANSWERED = READ | ATOMIC | FLUSH | ATOMIC_WRITE;

  private static final int[] TABLE = new int[32];

  static {
    TABLE[SEND_FIRST] = SEND | START;
    TABLE[SEND_MIDDLE] = SEND;
    TABLE[SEND_LAST] = SEND | END;
    TABLE[SEND_LAST_IMM] = SEND | END | IMM;
    TABLE[SEND_ONLY] = SEND | START | END;
    TABLE[SEND_ONLY_IMM] = SEND | START | END | IMM;
    TABLE[WRITE_FIRST] = WRITE | START;
    TABLE[WRITE_MIDDLE] = WRITE;
    TABLE[WRITE_LAST] = WRITE | END;
    TABLE[WRITE_LAST_IMM] = WRITE | END | IMM;
    TABLE[WRITE_ONLY] = WRITE | START | END;
    TABLE[WRITE_ONLY_IMM] = WRITE | START | END | IMM;
    TABLE[READ_REQUEST] = READ | START | END;
    TABLE[READ_RESPONSE_FIRST] = RESPONSE | READ | START;
    TABLE[READ_RESPONSE_MIDDLE] = RESPONSE | READ;
    TABLE[READ_RESPONSE_LAST] = RESPONSE | READ | END;
    TABLE[READ_RESPONSE_ONLY] = RESPONSE | READ | START | END;
    TABLE[ACKNOWLEDGE] = RESPONSE;
    TABLE[ATOMIC_ACKNOWLEDGE] = RESPONSE | ATOMIC;
    TABLE[COMPARE_SWAP] = ATOMIC | START | END;
    TABLE[FETCH_ADD] = ATOMIC | START | END;
    TABLE[SEND_LAST_INV] = SEND | END | INV;
    TABLE[SEND_ONLY_INV] = SEND | START | END | INV;
    TABLE[FLUSH_REQUEST] = FLUSH | START | END;
    TABLE[ATOMIC_WRITE_REQUEST] = ATOMIC_WRITE | START | END;
  }

  private Opcode() {}

  /** {@return what the opcode is, 0 when it is unknown or not offered by its service} */
  static int what(int opcode) {
    int row = TABLE[opcode & 0x1f];
    return switch (opcode & 0xe0) {
      case RC -> row;
      case UC -> (row & (SEND | WRITE)) != 0 && (row & INV) == 0 ? row : 0;
      case UD -> row == (SEND | START | END) || row == (SEND | START | END | IMM) ? row : 0;
      default -> 0;
    };
  }

  /** {@return the service bits of a queue pair's type} */
  static int service(QpType type) {
    return switch (type) {
      case RC, XRC_INI, XRC_TGT -> RC;
      case UC -> UC;
      case UD, SMI, GSI -> UD;
    };
  }

  /** {@return the opcode of a part of a send or write message, without the service bits} */
  static int part(int verb, boolean first, boolean last) {
    int base = (verb & Verb.WRITE) != 0 ? WRITE_FIRST : SEND_FIRST;
    if (!last) {
      return first ? base : base + 1;
    }
    if ((verb & Verb.INV) != 0) {
      return first ? SEND_ONLY_INV : SEND_LAST_INV;
    }
    int imm = (verb & Verb.IMM) != 0 ? 1 : 0;
    return base + (first ? 4 : 2) + imm;
  }
}
