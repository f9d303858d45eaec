package ib.engine.sim;

/** A send request as the model knows it. */
final class Request {
  /** What it does. */
  enum Op {
    SEND,
    SEND_IMM,
    WRITE,
    WRITE_IMM,
    READ;

    boolean arrives() {
      return this == SEND || this == SEND_IMM || this == WRITE_IMM;
    }

    boolean writes() {
      return this == WRITE || this == WRITE_IMM;
    }

    boolean hasImm() {
      return this == SEND_IMM || this == WRITE_IMM;
    }
  }

  final long id;
  final Op op;
  final int length;
  final int offset; // in the pattern
  final int slot;
  final int imm;
  boolean headed;
  boolean signaled;
  boolean bad; // must be refused
  boolean delivered;

  Request(long id, Op op, int length, int offset, int slot, int imm) {
    this.id = id;
    this.op = op;
    this.length = length;
    this.offset = offset;
    this.slot = slot;
    this.imm = imm;
  }

  @Override
  public String toString() {
    return op + " " + id + " of " + length + " bytes" + (bad ? ", forbidden" : "");
  }
}
