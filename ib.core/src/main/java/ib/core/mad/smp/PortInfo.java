package ib.core.mad.smp;

import java.lang.foreign.MemorySegment;

/**
 * A port (IBA 14.2.5.6, attribute 0x0015). The modifier is the port, 0 for the one that the
 * question arrived at or for port 0 of a switch.
 */
public enum PortInfo implements MadField {
  /** Management key. */
  M_KEY("Mkey", 0, 64),
  /** Subnet prefix. */
  GID_PREFIX("GidPrefix", 64, 64),
  /** Base LID. */
  LID("Lid", 128, 16),
  /** LID of the master subnet manager. */
  SM_LID("SMLid", 144, 16),
  /** Capabilities of the port, see {@link PortCapability}. */
  CAPABILITY_MASK("CapMask", 160, 32),
  /** Diagnostic code. */
  DIAG_CODE("DiagCode", 192, 16),
  /** Seconds that the M_Key is protected. */
  M_KEY_LEASE_PERIOD("MkeyLeasePeriod", 208, 16),
  /** The port that the question arrived at. */
  LOCAL_PORT_NUM("LocalPort", 224, 8),
  /** Widths allowed: bits 1X, 4X, 8X, 12X, 2X. */
  LINK_WIDTH_ENABLED("LinkWidthEnabled", 232, 8),
  /** Widths possible. */
  LINK_WIDTH_SUPPORTED("LinkWidthSupported", 240, 8),
  /** Width in use. */
  LINK_WIDTH_ACTIVE("LinkWidthActive", 248, 8),
  /** Speeds possible: bits 2.5, 5, 10 Gbit/s. */
  LINK_SPEED_SUPPORTED("LinkSpeedSupported", 256, 4),
  /** 1 down, 2 init, 3 armed, 4 active; 0 in a Set for no change. */
  PORT_STATE("LinkState", 260, 4),
  /** 1 sleep, 2 polling, 3 disabled, 4 training, 5 link up. */
  PORT_PHYS_STATE("PhysLinkState", 264, 4),
  /** The state after link down: 1 sleep, 2 polling. */
  LINK_DOWN_DEFAULT_STATE("LinkDownDefState", 268, 4),
  /** How far the M_Key protects. */
  M_KEY_PROTECT_BITS("ProtectBits", 272, 2),
  /** LID mask count: the port has 2 to the power of it LIDs. */
  LMC("LMC", 277, 3),
  /** Speed in use; 4 when an extended one is. */
  LINK_SPEED_ACTIVE("LinkSpeedActive", 280, 4),
  /** Speeds allowed. */
  LINK_SPEED_ENABLED("LinkSpeedEnabled", 284, 4),
  /** MTU in use: 1 to 5 for 256 to 4096. */
  NEIGHBOR_MTU("NeighborMTU", 288, 4),
  /** Service level to the master subnet manager. */
  SM_SL("SMSL", 292, 4),
  /** Virtual lanes possible: 1 to 5 for 1, 2, 4, 8, 15. */
  VL_CAP("VLCap", 296, 4),
  /** Initialization asked for. */
  INIT_TYPE("InitType", 300, 4),
  /** Limit of high priority. */
  VL_HIGH_LIMIT("VLHighLimit", 304, 8),
  /** Entries of the high priority arbitration table. */
  VL_ARB_HIGH_CAP("VLArbHighCap", 312, 8),
  /** Entries of the low priority arbitration table. */
  VL_ARB_LOW_CAP("VLArbLowCap", 320, 8),
  /** Initialization done. */
  INIT_TYPE_REPLY("InitReply", 328, 4),
  /** Largest MTU. */
  MTU_CAP("MtuCap", 332, 4),
  /** Packets that may be lost before a lane stalls. */
  VL_STALL_COUNT("VLStallCount", 336, 3),
  /** Exponent of the time at the head of a queue. */
  HOQ_LIFE("HoqLife", 339, 5),
  /** Virtual lanes in use. */
  OPERATIONAL_VLS("OperVLs", 344, 4),
  /** Whether partitions are enforced inbound. */
  PARTITION_ENFORCEMENT_INBOUND("PartEnforceInb", 348, 1),
  /** Whether partitions are enforced outbound. */
  PARTITION_ENFORCEMENT_OUTBOUND("PartEnforceOutb", 349, 1),
  /** Whether raw packets are refused inbound. */
  FILTER_RAW_INBOUND("FilterRawInb", 350, 1),
  /** Whether raw packets are refused outbound. */
  FILTER_RAW_OUTBOUND("FilterRawOutb", 351, 1),
  /** SMPs with a wrong M_Key. */
  M_KEY_VIOLATIONS("MkeyViolations", 352, 16),
  /** Packets with a wrong P_Key. */
  P_KEY_VIOLATIONS("PkeyViolations", 368, 16),
  /** Packets with a wrong Q_Key. */
  Q_KEY_VIOLATIONS("QkeyViolations", 384, 16),
  /** Entries of the GUID table. */
  GUID_CAP("GuidCap", 400, 8),
  /** Whether clients are to register anew. */
  CLIENT_REREGISTER("ClientReregister", 408, 1),
  /** Which traps of multicast packets are not sent. */
  MCAST_PKEY_TRAP_SUPPRESSION("McastPkeyTrapSuppressionEnabled", 409, 2),
  /** Exponent n: traps are at least 4.096 us * 2^n apart. */
  SUBNET_TIMEOUT("SubnetTimeout", 411, 5),
  /** Exponent of the time an answer takes. */
  RESP_TIME_VALUE("RespTimeVal", 419, 5),
  /** Limit of link errors. */
  LOCAL_PHY_ERRORS("LocalPhysErr", 424, 4),
  /** Limit of buffer overruns. */
  OVERRUN_ERRORS("OverrunErr", 428, 4),
  /** Credits that the port can give. */
  MAX_CREDIT_HINT("MaxCreditHint", 432, 16),
  /** Latency of the link. */
  ROUND_TRIP_LATENCY("RoundTrip", 456, 24),
  /** Capabilities of the port, second part. */
  CAPABILITY_MASK_2("CapMask2", 480, 16),
  /** Extended speed in use: 1 14.0625, 2 25.78125, 4 53.125, 8 106.25 Gbit/s; 0 none. */
  LINK_SPEED_EXT_ACTIVE("LinkSpeedExtActive", 496, 4),
  /** Extended speeds possible. */
  LINK_SPEED_EXT_SUPPORTED("LinkSpeedExtSupported", 500, 4),
  /** Extended speeds allowed. */
  LINK_SPEED_EXT_ENABLED("LinkSpeedExtEnabled", 507, 5),
  /** Second extended speed in use: 1 212.5 Gbit/s (XDR); 0 none. */
  LINK_SPEED_EXT_ACTIVE_2("LinkSpeedExtActive2", 449, 2),
  /** Second extended speeds possible. */
  LINK_SPEED_EXT_SUPPORTED_2("LinkSpeedExtSupported2", 451, 2),
  /** Second extended speeds allowed. */
  LINK_SPEED_EXT_ENABLED_2("LinkSpeedExtEnabled2", 453, 3);

  private static final int SECOND = 5; // bits of LinkSpeedExtEnabled, before those of the second

  private final Row row;

  PortInfo(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  /**
   * {@return the extended speed in use, of both fields, as infiniband-diags counts it: 1 14.0625, 2
   * 25.78125, 4 53.125, 8 106.25, 32 212.5 Gbit/s; 0 none}
   *
   * @param info PortInfo
   */
  public static int extendedSpeed(MemorySegment info) {
    int second = LINK_SPEED_EXT_ACTIVE_2.in(info) << SECOND;
    return second == 0 ? LINK_SPEED_EXT_ACTIVE.in(info) : second;
  }

  @Override
  public Row row() {
    return row;
  }
}
