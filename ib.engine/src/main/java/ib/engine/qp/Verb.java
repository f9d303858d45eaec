package ib.engine.qp;

import ib.core.verbs.WcOpcode;
import ib.core.verbs.WrOpcode;
import ib.engine.wire.Opcode;
import java.util.Arrays;

/** The send opcodes as a table: what the engine does for each, who offers it, how it completes. */
public final class Verb {
  public static final int SEND = 1;
  public static final int WRITE = 1 << 1;
  public static final int READ = 1 << 2;
  public static final int ATOMIC = 1 << 3;
  public static final int ATOMIC_WRITE = 1 << 4;
  public static final int FLUSH = 1 << 5;

  /** Executed here, without a packet. */
  public static final int LOCAL = 1 << 6;

  public static final int IMM = 1 << 7;
  public static final int INV = 1 << 8;

  /** Many datagrams, or one that stands for them. */
  public static final int LARGE = 1 << 9;

  /** One request packet, done when its own answer has come; counts against maxRdAtomic. */
  public static final int ANSWERED = READ | ATOMIC | ATOMIC_WRITE | FLUSH;

  private static final int[] TABLE = new int[64];
  private static final WcOpcode[] COMPLETED = new WcOpcode[64];
  private static final long RELIABLE;
  private static final long UNRELIABLE;
  private static final long DATAGRAM;

  static {
    // an opcode without a row can only fail, and the opcode of a failed completion means nothing
    Arrays.fill(COMPLETED, WcOpcode.SEND);
    row(WrOpcode.SEND, SEND, WcOpcode.SEND);
    row(WrOpcode.SEND_WITH_IMM, SEND | IMM, WcOpcode.SEND);
    row(WrOpcode.SEND_WITH_INV, SEND | INV, WcOpcode.SEND);
    row(WrOpcode.LSO, SEND | LARGE, WcOpcode.LSO);
    row(WrOpcode.RDMA_WRITE, WRITE, WcOpcode.RDMA_WRITE);
    row(WrOpcode.RDMA_WRITE_WITH_IMM, WRITE | IMM, WcOpcode.RDMA_WRITE);
    row(WrOpcode.RDMA_READ, READ, WcOpcode.RDMA_READ);
    row(WrOpcode.ATOMIC_CMP_AND_SWP, ATOMIC, WcOpcode.COMP_SWAP);
    row(WrOpcode.ATOMIC_FETCH_AND_ADD, ATOMIC, WcOpcode.FETCH_ADD);
    row(WrOpcode.ATOMIC_WRITE, ATOMIC_WRITE, WcOpcode.ATOMIC_WRITE);
    row(WrOpcode.FLUSH, FLUSH, WcOpcode.FLUSH);
    row(WrOpcode.LOCAL_INV, LOCAL, WcOpcode.LOCAL_INV);
    row(WrOpcode.BIND_MW, LOCAL, WcOpcode.BIND_MW);
    row(WrOpcode.REG_MR, LOCAL, WcOpcode.REG_MR);
    long reliable = 0;
    long unreliable = 0;
    long datagram = 0;
    for (int op = 0; op < TABLE.length; op++) {
      int what = TABLE[op];
      long bit = (what & LARGE) == 0 ? 1L << op : 0; // as queue pairs are made for it
      reliable |= what != 0 ? bit : 0;
      unreliable |= (what & (SEND | WRITE | LOCAL)) != 0 && (what & INV) == 0 ? bit : 0;
      datagram |= (what & SEND) != 0 && (what & INV) == 0 ? bit : 0;
    }
    RELIABLE = reliable;
    UNRELIABLE = unreliable;
    DATAGRAM = datagram;
  }

  private Verb() {}

  private static void row(WrOpcode op, int what, WcOpcode completed) {
    TABLE[op.value()] = what;
    COMPLETED[op.value()] = completed;
  }

  /** {@return what an opcode is, 0 when it is not offered by anyone} */
  public static int what(int opcode) {
    return TABLE[opcode];
  }

  /** {@return what its completion says} */
  static WcOpcode completed(int opcode) {
    return COMPLETED[opcode];
  }

  /**
   * {@return the opcodes that a service can execute: those that it offers and, for datagrams, the
   * large send, which only queue pairs made for it offer}
   */
  public static long executable(int service) {
    return offered(service) | (service == Opcode.UD ? 1L << WrOpcode.LSO.value() : 0);
  }

  /** {@return the opcodes that a service offers, as bits of their values (IBA table 77)} */
  public static long offered(int service) {
    return switch (service) {
      case Opcode.RC -> RELIABLE;
      case Opcode.UC -> UNRELIABLE;
      default -> DATAGRAM;
    };
  }

  /** {@return the opcode of a part of a send or write message, without the service bits} */
  public static int part(int verb, boolean first, boolean last) {
    int base = (verb & WRITE) != 0 ? Opcode.WRITE_FIRST : Opcode.SEND_FIRST;
    if (!last) {
      return first ? base : base + 1;
    }
    if ((verb & INV) != 0) {
      return first ? Opcode.SEND_ONLY_INV : Opcode.SEND_LAST_INV;
    }
    int imm = (verb & IMM) != 0 ? 1 : 0;
    return base + (first ? 4 : 2) + imm;
  }
}
