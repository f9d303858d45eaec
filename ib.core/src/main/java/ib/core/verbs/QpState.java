package ib.core.verbs;

/** State of a queue pair (IBA vol. 1 section 10.3.1); numbers of {@code ib_qp_state}. */
public enum QpState implements Numbered {
  /** Created; nothing may be posted, packets are dropped. */
  RESET(0),
  /** Receives may be posted; packets are dropped. */
  INIT(1),
  /** Ready to receive. */
  RTR(2),
  /** Ready to send. */
  RTS(3),
  /** Send queue drained: sends are held back. */
  SQD(4),
  /** Send queue error: sends are flushed, receiving goes on (not RC). */
  SQE(5),
  /** Error: every work request is flushed. */
  ERR(6);

  private final int value;

  QpState(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_qp_state}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_qp_state 0 to 6
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static QpState of(int value) {
    return Numbered.of(values(), value, "use 0 to 6");
  }
}
