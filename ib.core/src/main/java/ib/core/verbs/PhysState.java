package ib.core.verbs;

/** Physical state of a port (IBA PortInfo); numbers of {@code ib_port_phys_state}. */
public enum PhysState implements Numbered {
  /** Asleep. */
  SLEEP(1),
  /** Looking for a partner. */
  POLLING(2),
  /** Switched off. */
  DISABLED(3),
  /** Training. */
  PORT_CONFIGURATION_TRAINING(4),
  /** The link is up. */
  LINK_UP(5),
  /** Recovering from errors. */
  LINK_ERROR_RECOVERY(6),
  /** Under test. */
  PHY_TEST(7);

  private final int value;

  PhysState(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_port_phys_state}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_port_phys_state 1 to 7
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static PhysState of(int value) {
    return Numbered.of(values(), value, "use 1 to 7");
  }
}
