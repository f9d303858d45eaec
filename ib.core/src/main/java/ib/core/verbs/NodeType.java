package ib.core.verbs;

/**
 * Kind of node; numbers of {@code ibv_node_type} (1 to 3 as in NodeInfo, IBA vol. 1 section
 * 14.2.5.3).
 */
public enum NodeType implements Numbered {
  /** Channel adapter. */
  CA(1, "CA"),
  /** Switch. */
  SWITCH(2, "switch"),
  /** Router. */
  ROUTER(3, "router"),
  /** iWARP network interface. */
  RNIC(4, "RNIC"),
  /** usNIC over Ethernet. */
  USNIC(5, "usNIC"),
  /** usNIC over UDP. */
  USNIC_UDP(6, "usNIC UDP"),
  /** The driver does not say. */
  UNSPECIFIED(7, "unspecified");

  private final int value;
  private final String label;

  NodeType(int value, String label) {
    this.value = value;
    this.label = label;
  }

  /** {@return the number in {@code ibv_node_type}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that sysfs shows in {@code node_type}, for example {@code CA}} */
  public String label() {
    return label;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ibv_node_type 1 to 7
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static NodeType of(int value) {
    return Numbered.of(values(), value, "use 1 to 7");
  }
}
