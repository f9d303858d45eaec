package ib.core.verbs;

/** Transport service of a queue pair; numbers of {@code ib_qp_type} . */
public enum QpType implements Numbered {
  /** QP0: subnet management datagrams. */
  SMI(0),
  /** QP1: general services datagrams. */
  GSI(1),
  /** Reliable connection. */
  RC(2),
  /** Unreliable connection. */
  UC(3),
  /** Unreliable datagram. */
  UD(4),
  /** Extended reliable connection, initiator side. */
  XRC_INI(9),
  /** Extended reliable connection, target side. */
  XRC_TGT(10);

  private final int value;

  QpType(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_qp_type}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return whether the QP sends datagrams, that is UD, GSI or SMI} */
  public boolean isDatagram() {
    return this == UD || this == GSI || this == SMI;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_qp_type
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static QpType of(int value) {
    return Numbered.of(values(), value, "use RC 2, UC 3, UD 4 or another QpType");
  }
}
