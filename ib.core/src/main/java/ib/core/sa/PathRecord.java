package ib.core.sa;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;

/**
 * A path between two ports (IBA vol. 1 section 15.2.5.16). Selectors: 0 greater than, 1 less than,
 * 2 exactly, 3 largest available.
 */
public final class PathRecord extends SaRecord<PathRecord, PathRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0035;

  /** Fields. */
  public enum Field implements SaField {
    /** Upper half of the service for which the path is. */
    SERVICE_ID_HIGH(0, 32, 0),
    /** Lower half of the service. */
    SERVICE_ID_LOW(32, 32, 1),
    /** Destination. */
    DGID(64, 128, 2),
    /** Source. */
    SGID(192, 128, 3),
    /** Destination LID. */
    DLID(320, 16, 4),
    /** Source LID. */
    SLID(336, 16, 5),
    /** Raw packets. */
    RAW_TRAFFIC(352, 1, 6),
    /** Flow label. */
    FLOW_LABEL(356, 20, 8),
    /** Hop limit. */
    HOP_LIMIT(376, 8, 9),
    /** Traffic class. */
    TCLASS(384, 8, 10),
    /** Whether the way back is the same. */
    REVERSIBLE(392, 1, 11),
    /** How many paths are asked for at the most. */
    NUMB_PATH(393, 7, 12),
    /** Partition. */
    PKEY(400, 16, 13),
    /** Class of quality of service. */
    QOS_CLASS(416, 12, 14),
    /** Service level. */
    SL(428, 4, 15),
    /** Selector of the MTU. */
    MTU_SELECTOR(432, 2, 16),
    /** MTU, code of {@code ib.core.verbs.Mtu}. */
    MTU(434, 6, 17),
    /** Selector of the rate. */
    RATE_SELECTOR(440, 2, 18),
    /** Rate, code of {@code ibv_rate}. */
    RATE(442, 6, 19),
    /** Selector of the life time. */
    PACKET_LIFE_TIME_SELECTOR(448, 2, 20),
    /** Life time n: 4.096 us * 2^n. */
    PACKET_LIFE_TIME(450, 6, 21),
    /** Preference among several, 0 is best. */
    PREFERENCE(456, 8, 22);

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
  public PathRecord() {
    super(ATTRIBUTE_ID, 64, Field.class);
  }

  @Override
  public PathRecord fresh() {
    return new PathRecord();
  }

  /**
   * The way that a path describes; for a path to another subnet, or any that has a hop limit above
   * 1, with a global route.
   *
   * @param port the port to leave by
   * @param sgidIndex index of {@link Field#SGID} in the port's table
   * @return the attributes of an address handle
   */
  public AhAttr ahAttr(int port, int sgidIndex) {
    GlobalRoute route =
        value(Field.HOP_LIMIT) > 1
            ? new GlobalRoute(
                gid(Field.DGID),
                value(Field.FLOW_LABEL),
                sgidIndex,
                value(Field.HOP_LIMIT),
                value(Field.TCLASS))
            : null;
    return new AhAttr(value(Field.DLID), value(Field.SL), 0, value(Field.RATE), port, route);
  }
}
