package ib.core.verbs;

/**
 * Automatic path migration state of a QP (IBA automatic path migration); numbers of {@code
 * ib_mig_state}.
 */
public enum MigState implements Numbered {
  /** No alternate path is loaded, or it has been taken. */
  MIGRATED(0),
  /** Asked to arm the alternate path. */
  REARM(1),
  /** Ready to migrate. */
  ARMED(2);

  private final int value;

  MigState(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_mig_state}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_mig_state 0 to 2
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static MigState of(int value) {
    return Numbered.of(values(), value, "use 0 to 2");
  }
}
