package ib.core.sa;

/** A subscription to events (IBA vol. 1 section 13.4.8.3). */
public final class InformInfo extends SaRecord<InformInfo, InformInfo.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0003;

  /** Fields. */
  public enum Field implements SaField {
    /** Port whose events are meant, 0 for the LID range. */
    GID(0, 128, 0),
    /** First LID, 0xFFFF for all. */
    LID_RANGE_BEGIN(128, 16, 1),
    /** Last LID. */
    LID_RANGE_END(144, 16, 2),
    /** 1 for events that the specification defines. */
    IS_GENERIC(176, 8, 4),
    /** 1 to subscribe, 0 to end it. */
    SUBSCRIBE(184, 8, 5),
    /** Type of event, 0xFFFF for all. */
    TYPE(192, 16, 6),
    /** Number of the trap, or device id; 0xFFFF for all. */
    TRAP_NUMBER(208, 16, 7),
    /** Where reports go; to end a subscription. */
    QPN(224, 24, 8),
    /** How long the subscriber takes to answer: 4.096 us * 2^n. */
    RESP_TIME_VALUE(251, 5, 10),
    /** Kind of the reporter: 1 CA, 2 switch, 3 router, 4 class manager; 0xFFFFFF for all. */
    PRODUCER_TYPE(264, 24, 12);

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
  public InformInfo() {
    super(ATTRIBUTE_ID, 36, Field.class);
  }

  @Override
  public InformInfo fresh() {
    return new InformInfo();
  }
}
