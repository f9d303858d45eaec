package ib.engine.sim;

import ib.core.verbs.WcOpcode;
import org.jspecify.annotations.Nullable;

/** A send request as the model knows it. */
final class Request {
  /** The operation of a request. */
  enum Op {
    SEND(WcOpcode.SEND),
    SEND_IMM(WcOpcode.SEND),
    SEND_INV(WcOpcode.SEND),
    WRITE(WcOpcode.RDMA_WRITE),
    WRITE_IMM(WcOpcode.RDMA_WRITE),
    READ(WcOpcode.RDMA_READ),
    FETCH_ADD(WcOpcode.FETCH_ADD),
    COMPARE_SWAP(WcOpcode.COMP_SWAP),
    ATOMIC_WRITE(WcOpcode.ATOMIC_WRITE),
    FLUSH(WcOpcode.FLUSH),
    REGISTER(WcOpcode.REG_MR),
    BIND(WcOpcode.BIND_MW),
    INVALIDATE(WcOpcode.LOCAL_INV);

    final WcOpcode completed;

    Op(WcOpcode completed) {
      this.completed = completed;
    }

    /** Whether it takes a receive of the peer. */
    boolean arrives() {
      return this == SEND || this == SEND_IMM || this == SEND_INV || this == WRITE_IMM;
    }

    boolean writes() {
      return this == WRITE || this == WRITE_IMM || this == ATOMIC_WRITE;
    }

    boolean hasImm() {
      return this == SEND_IMM || this == WRITE_IMM;
    }

    boolean isAtomic() {
      return this == FETCH_ADD || this == COMPARE_SWAP;
    }

    /** Whether it is executed where it is posted and opens or closes a key. */
    boolean isLocal() {
      return this == REGISTER || this == BIND || this == INVALIDATE;
    }
  }

  final long id;
  final Op op;
  final int length;
  final int offset; // in the pattern
  final int slot;
  final int imm;
  long tag; // the first eight bytes of a message that tells itself which one it is
  boolean headed;
  boolean signaled;
  boolean bad; // must be refused
  boolean risky; // its key is taken away under it: done or refused, nothing between
  boolean delivered;
  @Nullable Grant grant; // what it goes through, opens or closes
  byte @Nullable [] snapshot; // what it had written when its key was taken away
  @Nullable Word word; // what an atomic changes
  int ticket;
  long compare;
  long operand; // to add, or to put in
  long before; // of the word, what must have been done before
  long found;
  Outcome outcome = Outcome.OPEN;

  /** The outcome of an atomic. */
  enum Outcome {
    OPEN,
    DONE,
    UNKNOWN
  }

  Request(long id, Op op, int length, int offset, int slot, int imm) {
    this.id = id;
    this.tag = id;
    this.op = op;
    this.length = length;
    this.offset = offset;
    this.slot = slot;
    this.imm = imm;
  }

  /** How many sequence numbers it uses. */
  int psns(int mtu) {
    return switch (op) {
      case REGISTER, BIND, INVALIDATE -> 0;
      case FETCH_ADD, COMPARE_SWAP, ATOMIC_WRITE, FLUSH -> 1;
      default -> Math.max(1, (length + mtu - 1) / mtu);
    };
  }

  @Override
  public String toString() {
    return op + " " + id + " of " + length + " bytes" + (bad ? ", forbidden" : "");
  }
}
