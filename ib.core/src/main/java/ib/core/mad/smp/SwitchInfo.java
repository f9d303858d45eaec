package ib.core.mad.smp;

/** The attribute SwitchInfo: capabilities and state of a switch (IBA 14.2.5.4, 0x0012). */
public enum SwitchInfo implements MadField {
  /** Entries of the linear forwarding table. */
  LINEAR_FDB_CAP("LinearFdbCap", 0, 16),
  /** Entries of the random forwarding table, 0 for none. */
  RANDOM_FDB_CAP("RandomFdbCap", 16, 16),
  /** Entries of the multicast forwarding table. */
  MULTICAST_FDB_CAP("McastFdbCap", 32, 16),
  /** The highest LID that is looked up. */
  LINEAR_FDB_TOP("LinearFdbTop", 48, 16),
  /** Where the random table sends what it does not know. */
  DEFAULT_PORT("DefPort", 64, 8),
  /** Where unknown multicast goes. */
  DEFAULT_MCAST_PRIMARY_PORT("DefMcastPrimPort", 72, 8),
  /** Where unknown multicast from that port goes. */
  DEFAULT_MCAST_NOT_PRIMARY_PORT("DefMcastNotPrimPort", 80, 8),
  /** Exponent of the time that a packet may stay in the switch. */
  LIFE_TIME_VALUE("LifeTime", 88, 5),
  /** Whether a port has changed state; writing 1 clears it. */
  PORT_STATE_CHANGE("StateChange", 93, 1),
  /** Whether SL to VL maps may be written for many ports at once. */
  OPTIMIZED_SLTOVL("OptSLtoVLMapping", 94, 2),
  /** LIDs that the random table holds for a port. */
  LIDS_PER_PORT("LidsPerPort", 96, 16),
  /** Entries of the P_Key table of each external port. */
  PARTITION_ENFORCEMENT_CAP("PartEnforceCap", 112, 16),
  /** Whether partitions can be enforced inbound. */
  INBOUND_ENFORCEMENT_CAP("InboundPartEnf", 128, 1),
  /** Whether partitions can be enforced outbound. */
  OUTBOUND_ENFORCEMENT_CAP("OutboundPartEnf", 129, 1),
  /** Whether raw packets can be refused inbound. */
  FILTER_RAW_INBOUND_CAP("FilterRawInbound", 130, 1),
  /** Whether raw packets can be refused outbound. */
  FILTER_RAW_OUTBOUND_CAP("FilterRawOutbound", 131, 1),
  /** Whether port 0 is a full endpoint. */
  ENHANCED_PORT_0("EnhancedPort0", 132, 1),
  /** The highest multicast LID that is looked up, 0 for no limit. */
  MULTICAST_FDB_TOP("McastFdbTop", 144, 16);

  private final Row row;

  SwitchInfo(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
