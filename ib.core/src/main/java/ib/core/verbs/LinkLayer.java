package ib.core.verbs;

/** The link layer of a port; numbers of {@code ibv_port_attr.link_layer}. */
public enum LinkLayer implements Numbered {
  /** The driver does not say. */
  UNSPECIFIED(0, "Unspecified"),
  /** InfiniBand: LIDs, a subnet manager. */
  INFINIBAND(1, "InfiniBand"),
  /** Ethernet: RoCE, addressed by GID only. */
  ETHERNET(2, "Ethernet");

  private final int value;
  private final String label;

  LinkLayer(int value, String label) {
    this.value = value;
    this.label = label;
  }

  /** {@return the number in {@code ibv_port_attr}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that ibv_devinfo and ibstat print, for example {@code Ethernet}} */
  public String label() {
    return label;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, 0 to 2
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static LinkLayer of(int value) {
    return Numbered.of(values(), value, "use 0 to 2");
  }
}
