package ib.core.sa;

/** The description of a port as a manager of a class (IBA vol. 1 section 13.4.8.1). */
public final class ClassPortInfo extends SaRecord<ClassPortInfo, ClassPortInfo.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0001;

  /** Fields. */
  public enum Field implements SaField {
    /** Base version. */
    BASE_VERSION(0, 8, -1),
    /** Class version. */
    CLASS_VERSION(8, 8, -1),
    /** CapabilityMask of the class. */
    CAPABILITY_MASK(16, 16, -1),
    /** CapabilityMask2 of the class. */
    CAPABILITY_MASK2(32, 27, -1),
    /** How long the manager takes to answer: 4.096 us * 2^n. */
    RESP_TIME_VALUE(59, 5, -1),
    /** GID of the port that answers instead. */
    REDIRECT_GID(64, 128, -1),
    /** Traffic class to that port. */
    REDIRECT_TCLASS(192, 8, -1),
    /** Service level to that port. */
    REDIRECT_SL(200, 4, -1),
    /** Flow label to that port. */
    REDIRECT_FLOW_LABEL(204, 20, -1),
    /** LID of that port; 0 when only its GID is given. */
    REDIRECT_LID(224, 16, -1),
    /** Partition of that port. */
    REDIRECT_PKEY(240, 16, -1),
    /** Queue pair of that port. */
    REDIRECT_QPN(264, 24, -1),
    /** Q_Key of that queue pair. */
    REDIRECT_QKEY(288, 32, -1),
    /** GID of the port that traps are sent to. */
    TRAP_GID(320, 128, -1),
    /** Traffic class of traps. */
    TRAP_TCLASS(448, 8, -1),
    /** Service level of traps. */
    TRAP_SL(456, 4, -1),
    /** Flow label of traps. */
    TRAP_FLOW_LABEL(460, 20, -1),
    /** LID for traps. */
    TRAP_LID(480, 16, -1),
    /** Partition of traps. */
    TRAP_PKEY(496, 16, -1),
    /** Hop limit of traps. */
    TRAP_HOP_LIMIT(512, 8, -1),
    /** Queue pair for traps. */
    TRAP_QPN(520, 24, -1),
    /** Q_Key for traps. */
    TRAP_QKEY(544, 32, -1);

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
  public ClassPortInfo() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public ClassPortInfo fresh() {
    return new ClassPortInfo();
  }

  /** CapabilityMask2 of subnet administration: it takes SendOnlyFullMember (IBA 15.2.5.1). */
  public static final int SA_SEND_ONLY_FULL_MEMBER = 1 << 12;
}
