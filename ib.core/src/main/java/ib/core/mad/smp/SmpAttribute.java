package ib.core.mad.smp;

import org.jspecify.annotations.Nullable;

/** The attributes of subnet management (IBA table 139). */
public enum SmpAttribute {
  /** The contents of a trap, {@link Notice}. */
  NOTICE(0x02),
  /** A text, 64 bytes. */
  NODE_DESCRIPTION(0x10),
  /** Description of a node, {@link NodeInfo}. */
  NODE_INFO(0x11),
  /** Properties of a switch, {@link SwitchInfo}. */
  SWITCH_INFO(0x12),
  /** Eight GUIDs of a port. */
  GUID_INFO(0x14),
  /** A port, {@link PortInfo}. */
  PORT_INFO(0x15),
  /** 32 P_Keys of a port. */
  PKEY_TABLE(0x16),
  /** The virtual lane of each service level. */
  SL_TO_VL_MAPPING(0x17),
  /** A virtual lane arbitration table. */
  VL_ARBITRATION(0x18),
  /** The output ports of 64 LIDs. */
  LINEAR_FORWARDING(0x19),
  /** The output ports, 16 of them, of 32 multicast LIDs. */
  MULTICAST_FORWARDING(0x1B),
  /** A subnet manager, {@link SmInfo}. */
  SM_INFO(0x20),
  /** Properties of a Mellanox port beyond the specification. */
  MLNX_EXT_PORT_INFO(0xFF90);

  private static final SmpAttribute[] VALUES = values();
  private final int id;

  SmpAttribute(int id) {
    this.id = id;
  }

  /** {@return the attribute identifier, 16 bits} */
  public int id() {
    return id;
  }

  /**
   * The attribute of an identifier.
   *
   * @param id 16 bits
   * @return the attribute, or null for one that is not among these
   */
  public static @Nullable SmpAttribute of(int id) {
    for (SmpAttribute a : VALUES) {
      if (a.id == id) {
        return a;
      }
    }
    return null;
  }
}
