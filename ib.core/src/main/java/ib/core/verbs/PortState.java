package ib.core.verbs;

/** Logical state of a port (IBA PortInfo); numbers of {@code ib_port_state}. */
public enum PortState implements Numbered {
  /** No state change; a value for setting only. */
  NOP(0, "PORT_NOP"),
  /** The link is down. */
  DOWN(1, "PORT_DOWN"),
  /** The link is up, the subnet manager has not configured it. */
  INIT(2, "PORT_INIT"),
  /** Configured, not yet active. */
  ARMED(3, "PORT_ARMED"),
  /** Carries traffic. */
  ACTIVE(4, "PORT_ACTIVE"),
  /** Active, with link failures being waited out. */
  ACTIVE_DEFER(5, "PORT_ACTIVE_DEFER");

  private final int value;
  private final String label;

  PortState(int value, String label) {
    this.value = value;
    this.label = label;
  }

  /** {@return the number in {@code ib_port_state}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that ibv_devinfo prints, for example {@code PORT_ACTIVE}} */
  public String label() {
    return label;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_port_state 0 to 5
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static PortState of(int value) {
    return Numbered.of(values(), value, "use 0 to 5");
  }
}
