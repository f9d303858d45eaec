package ib.core.sa;

/**
 * Attributes of a port (IBA vol. 1 section 15.2.5.3): LID, port and options, then PortInfo at byte
 * 4 (IBA 14.2.5.6).
 */
public final class PortInfoRecord extends SaRecord<PortInfoRecord, PortInfoRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0012;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the end port. */
    LID(0, 16, 0),
    /** Number of the port. */
    PORT_NUM(16, 8, 1),
    /** Bit 7: the components of CapabilityMask are compared with AND. */
    OPTIONS(24, 8, 2),
    /** M_Key. */
    MKEY(32, 64, 3),
    /** Subnet prefix. */
    GID_PREFIX(96, 64, 4),
    /** LID. */
    BASE_LID(160, 16, 5),
    /** LID of the master SM. */
    SM_LID(176, 16, 6),
    /** CapabilityMask. */
    CAPABILITY_MASK(192, 32, 7),
    /** Diagnostics. */
    DIAG_CODE(224, 16, 8),
    /** Seconds. */
    MKEY_LEASE_PERIOD(240, 16, 9),
    /** Port the question arrived on. */
    LOCAL_PORT_NUM(256, 8, 10),
    /** Widths allowed. */
    LINK_WIDTH_ENABLED(264, 8, 11),
    /** Widths it can. */
    LINK_WIDTH_SUPPORTED(272, 8, 12),
    /** Width in use. */
    LINK_WIDTH_ACTIVE(280, 8, 13),
    /** Speeds it can. */
    LINK_SPEED_SUPPORTED(288, 4, 14),
    /** 1 down, 2 init, 3 armed, 4 active. */
    PORT_STATE(292, 4, 15),
    /** Physical state. */
    PORT_PHYS_STATE(296, 4, 16),
    /** State to fall into. */
    LINK_DOWN_DEFAULT_STATE(300, 4, 17),
    /** Protection by M_Key. */
    MKEY_PROTECT_BITS(304, 2, 18),
    /** LID mask control. */
    LMC(309, 3, 20),
    /** Speed in use. */
    LINK_SPEED_ACTIVE(312, 4, 21),
    /** Speeds allowed. */
    LINK_SPEED_ENABLED(316, 4, 22),
    /** MTU in use. */
    NEIGHBOR_MTU(320, 4, 23),
    /** Service level to the SM. */
    SM_SL(324, 4, 24),
    /** Virtual lanes it can. */
    VL_CAP(328, 4, 25),
    /** InitType. */
    INIT_TYPE(332, 4, 26),
    /** Limit of high priority. */
    VL_HIGH_LIMIT(336, 8, 27),
    /** Arbitration entries, high. */
    VL_ARB_HIGH_CAP(344, 8, 28),
    /** Arbitration entries, low. */
    VL_ARB_LOW_CAP(352, 8, 29),
    /** InitTypeReply. */
    INIT_TYPE_REPLY(360, 4, 30),
    /** Largest MTU. */
    MTU_CAP(364, 4, 31),
    /** Packets dropped before a lane stalls. */
    VL_STALL_COUNT(368, 3, 32),
    /** Life time at the head of a queue. */
    HOQ_LIFE(371, 5, 33),
    /** Virtual lanes in use. */
    OPERATIONAL_VLS(376, 4, 34),
    /** P_Keys are checked inbound. */
    PARTITION_ENFORCEMENT_INBOUND(380, 1, 35),
    /** P_Keys are checked outbound. */
    PARTITION_ENFORCEMENT_OUTBOUND(381, 1, 36),
    /** Raw packets are dropped inbound. */
    FILTER_RAW_INBOUND(382, 1, 37),
    /** Raw packets are dropped outbound. */
    FILTER_RAW_OUTBOUND(383, 1, 38),
    /** M_Key violations. */
    MKEY_VIOLATIONS(384, 16, 39),
    /** P_Key violations. */
    PKEY_VIOLATIONS(400, 16, 40),
    /** Q_Key violations. */
    QKEY_VIOLATIONS(416, 16, 41),
    /** Entries of the GUID table. */
    GUID_CAP(432, 8, 42),
    /** Asks for all subscriptions anew. */
    CLIENT_REREGISTER(440, 1, 43),
    /** 4.096 us * 2^n. */
    SUBNET_TIMEOUT(443, 5, 45),
    /** 4.096 us * 2^n. */
    RESP_TIME_VALUE(451, 5, 47),
    /** Threshold. */
    LOCAL_PHY_ERRORS(456, 4, 48),
    /** Threshold. */
    OVERRUN_ERRORS(460, 4, 49),
    /** PortInfo, whole. */
    PORT_INFO(32, 512, -1);

    private final Place place;

    Field(int bit, int bits, int component) {
      place = new Place(bit, bits, component);
    }

    @Override
    public Place place() {
      return place;
    }
  }

  /** Makes a record with all fields 0. */
  public PortInfoRecord() {
    super(ATTRIBUTE_ID, 68, Field.class);
  }

  @Override
  public PortInfoRecord fresh() {
    return new PortInfoRecord();
  }
}
