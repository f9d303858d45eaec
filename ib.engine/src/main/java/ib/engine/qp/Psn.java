package ib.engine.qp;

/** Arithmetic of 24-bit sequence numbers (IBA vol. 1 section 9.7.1). */
final class Psn {
  private Psn() {}

  /** {@return how far a is after b, negative when before} */
  static int diff(int a, int b) {
    return (a - b) << 8 >> 8;
  }

  static int add(int psn, int n) {
    return (psn + n) & 0xffffff;
  }
}
