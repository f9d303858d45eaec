package ib.core.verbs;

/** With whom the atomic operations of a device are atomic; numbers of {@code ib_atomic_cap}. */
public enum AtomicCap implements Numbered {
  /** No atomic operations. */
  NONE(0, "ATOMIC_NONE"),
  /** Among the QPs of this device. */
  HCA(1, "ATOMIC_HCA"),
  /** Among all of the host: processors and other devices too. */
  GLOB(2, "ATOMIC_GLOB");

  private final int value;
  private final String label;

  AtomicCap(int value, String label) {
    this.value = value;
    this.label = label;
  }

  /** {@return the number in {@code ib_atomic_cap}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that ibv_devinfo prints, for example {@code ATOMIC_HCA}} */
  public String label() {
    return label;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_atomic_cap 0 to 2
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static AtomicCap of(int value) {
    return Numbered.of(values(), value, "use 0 to 2");
  }
}
