package ib.core.sa;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;

/**
 * Membership of a multicast group (IBA vol. 1 section 15.2.5.17). Selectors as of {@link
 * PathRecord}.
 */
public final class McMemberRecord extends SaRecord<McMemberRecord, McMemberRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0038;

  /** Fields. */
  public enum Field implements SaField {
    /** The group; 0 asks for a new one. */
    MGID(0, 128, 0),
    /** The member. */
    PORT_GID(128, 128, 1),
    /** Q_Key. */
    QKEY(256, 32, 2),
    /** LID of the group, 0xC000 to 0xFFFE. */
    MLID(288, 16, 3),
    /** Selector of the MTU. */
    MTU_SELECTOR(304, 2, 4),
    /** MTU, code of {@code ib.core.verbs.Mtu}. */
    MTU(306, 6, 5),
    /** Traffic class. */
    TCLASS(312, 8, 6),
    /** Partition. */
    PKEY(320, 16, 7),
    /** Selector of the rate. */
    RATE_SELECTOR(336, 2, 8),
    /** Rate, code of {@code ibv_rate}. */
    RATE(338, 6, 9),
    /** Selector of the life time. */
    PACKET_LIFE_TIME_SELECTOR(344, 2, 10),
    /** Life time n: 4.096 us * 2^n. */
    PACKET_LIFE_TIME(346, 6, 11),
    /** Service level. */
    SL(352, 4, 12),
    /** Flow label. */
    FLOW_LABEL(356, 20, 13),
    /** Hop limit. */
    HOP_LIMIT(376, 8, 14),
    /** Scope, as in the MGID. */
    SCOPE(384, 4, 15),
    /** Bits: see the constants. */
    JOIN_STATE(388, 4, 16),
    /** Whether the requester joins for another. */
    PROXY_JOIN(392, 1, 17);

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
  public McMemberRecord() {
    super(ATTRIBUTE_ID, 52, Field.class);
  }

  @Override
  public McMemberRecord fresh() {
    return new McMemberRecord();
  }

  /** Join state: sends and receives, keeps the group alive. */
  public static final int FULL_MEMBER = 1;

  /** Join state: receives. */
  public static final int NON_MEMBER = 2;

  /** Join state: sends only, does not keep the group alive. */
  public static final int SEND_ONLY_NON_MEMBER = 4;

  /** Join state: sends only, keeps the group alive (optional, see ClassPortInfo). */
  public static final int SEND_ONLY_FULL_MEMBER = 8;

  /**
   * The way to the group: always with a global route (IBA 9.5.1).
   *
   * @param port the port to leave by
   * @param sgidIndex index of the source in the port's table
   * @return the attributes of an address handle
   */
  public AhAttr ahAttr(int port, int sgidIndex) {
    GlobalRoute route =
        new GlobalRoute(
            gid(Field.MGID),
            value(Field.FLOW_LABEL),
            sgidIndex,
            value(Field.HOP_LIMIT),
            value(Field.TCLASS));
    return new AhAttr(value(Field.MLID), value(Field.SL), 0, value(Field.RATE), port, route);
  }
}
