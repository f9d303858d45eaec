package ib.core.verbs;

/**
 * The thread that polls a managed completion queue and runs its {@code done} callbacks; numbers of
 * {@code ib_poll_context}.
 */
public enum PollContext implements Numbered {
  /** The consumer's own thread, in {@code processDirect}; the core starts no callback. */
  DIRECT(0, "DIRECT"),
  /** A completion vector of the core; {@code done} may not sleep (S26). */
  EVENT_LOOP(1, "SOFTIRQ"),
  /** A bounded worker pool; {@code done} may sleep. */
  WORKQUEUE(2, "WORKQUEUE"),
  /** A virtual thread; {@code done} may sleep. */
  UNBOUND(3, "UNBOUND_WORKQUEUE");

  private final int value;
  private final String label;

  PollContext(int value, String label) {
    this.value = value;
    this.label = label;
  }

  /** {@return the number in {@code ib_poll_context}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that {@code rdma res show cq} prints, for example {@code SOFTIRQ}} */
  public String label() {
    return label;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_poll_context 0 to 3
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static PollContext of(int value) {
    return Numbered.of(values(), value, "use 0 to 3");
  }
}
