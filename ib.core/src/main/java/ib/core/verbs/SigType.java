package ib.core.verbs;

/** Which send requests give a completion when they succeed; numbers of {@code ib_sig_type}. */
public enum SigType implements Numbered {
  /** Each one. */
  ALL_WR(0),
  /** Those posted with {@link SendFlags#SIGNALED}. */
  REQ_WR(1);

  private final int value;

  SigType(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_sig_type}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_sig_type 0 or 1
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static SigType of(int value) {
    return Numbered.of(values(), value, "use 0 or 1");
  }
}
