package ib.engine.wire;

import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.core.wire.ExtendedHeader;

/**
 * The opcodes of BTH (IBA vol. 1 table 38) as bits that can be asked for together: what each is,
 * and where it stands in a message. The table itself is {@link BthOpcode}.
 */
public final class Opcode {
  public static final int RC = 0x00;
  public static final int UC = 0x20;
  public static final int UD = 0x60;

  // without the service bits
  public static final int SEND_FIRST = BthOpcode.RC_SEND_FIRST.value();
  public static final int SEND_LAST_INV = BthOpcode.RC_SEND_LAST_INV.value();
  public static final int SEND_ONLY_INV = BthOpcode.RC_SEND_ONLY_INV.value();
  public static final int WRITE_FIRST = BthOpcode.RC_RDMA_WRITE_FIRST.value();
  public static final int READ_REQUEST = BthOpcode.RC_RDMA_READ_REQUEST.value();
  public static final int READ_RESPONSE_FIRST = BthOpcode.RC_RDMA_READ_RESPONSE_FIRST.value();
  public static final int READ_RESPONSE_MIDDLE = BthOpcode.RC_RDMA_READ_RESPONSE_MIDDLE.value();
  public static final int READ_RESPONSE_LAST = BthOpcode.RC_RDMA_READ_RESPONSE_LAST.value();
  public static final int READ_RESPONSE_ONLY = BthOpcode.RC_RDMA_READ_RESPONSE_ONLY.value();
  public static final int ACKNOWLEDGE = BthOpcode.RC_ACKNOWLEDGE.value();
  public static final int ATOMIC_ACKNOWLEDGE = BthOpcode.RC_ATOMIC_ACKNOWLEDGE.value();
  public static final int COMPARE_SWAP = BthOpcode.RC_COMPARE_SWAP.value();
  public static final int FETCH_ADD = BthOpcode.RC_FETCH_ADD.value();
  public static final int FLUSH_REQUEST = BthOpcode.RC_FLUSH.value();
  public static final int ATOMIC_WRITE_REQUEST = BthOpcode.RC_ATOMIC_WRITE.value();

  /** With its service bits, which are those of no queue pair: it may be for any (annex A17.9.3). */
  public static final int CNP = BthOpcode.CNP.value();

  // what a row says
  public static final int SEND = 1;
  public static final int WRITE = 1 << 1;
  public static final int READ = 1 << 2;
  public static final int RESPONSE = 1 << 3;
  public static final int ATOMIC = 1 << 4;
  public static final int START = 1 << 5;
  public static final int END = 1 << 6;
  public static final int IMM = 1 << 7;
  public static final int INV = 1 << 8;
  public static final int FLUSH = 1 << 9;
  public static final int ATOMIC_WRITE = 1 << 10;

  /** Requests that have an answer of their own, whose results a responder keeps. */
  public static final int ANSWERED = READ | ATOMIC | FLUSH | ATOMIC_WRITE;

  private static final int[] TABLE = new int[256];

  static {
    for (BthOpcode opcode : BthOpcode.values()) {
      TABLE[opcode.value()] = row(opcode);
    }
  }

  private Opcode() {}

  private static int row(BthOpcode opcode) {
    int kind =
        switch (opcode.operation()) {
          case SEND -> SEND;
          case WRITE -> WRITE;
          case READ -> READ;
          case READ_RESPONSE -> RESPONSE | READ;
          case ACKNOWLEDGE -> RESPONSE;
          case ATOMIC -> ATOMIC;
          case ATOMIC_ACKNOWLEDGE -> RESPONSE | ATOMIC;
          case FLUSH -> FLUSH;
          case ATOMIC_WRITE -> ATOMIC_WRITE;
          case CONGESTION -> RESPONSE;
        };
    return kind
        | (opcode.isStart() ? START : 0)
        | (opcode.isEnd() ? END : 0)
        | (opcode.has(ExtendedHeader.IMM_DT) ? IMM : 0)
        | (opcode.has(ExtendedHeader.IETH) ? INV : 0);
  }

  /** {@return what the opcode is, 0 when it is unknown or not offered by its service} */
  public static int what(int opcode) {
    return TABLE[opcode & 0xff];
  }

  /** {@return the service bits of a queue pair's type} */
  public static int service(QpType type) {
    return switch (type) {
      case RC, XRC_INI, XRC_TGT -> RC;
      case UC -> UC;
      case UD, SMI, GSI -> UD;
    };
  }
}
