package ib.core.sa;

/**
 * A node and one of its ports (IBA vol. 1 section 15.2.5.2): LID, then NodeInfo at byte 4, then
 * NodeDescription.
 */
public final class NodeRecord extends SaRecord<NodeRecord, NodeRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0011;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the port. */
    LID(0, 16, 0),
    /** Base version. */
    BASE_VERSION(32, 8, 2),
    /** Class version. */
    CLASS_VERSION(40, 8, 3),
    /** 1 CA, 2 switch, 3 router. */
    NODE_TYPE(48, 8, 4),
    /** Number of ports. */
    NUM_PORTS(56, 8, 5),
    /** System image GUID. */
    SYSTEM_IMAGE_GUID(64, 64, 6),
    /** Node GUID. */
    NODE_GUID(128, 64, 7),
    /** Port GUID. */
    PORT_GUID(192, 64, 8),
    /** Entries of the P_Key table. */
    PARTITION_CAP(256, 16, 9),
    /** Device. */
    DEVICE_ID(272, 16, 10),
    /** Revision. */
    REVISION(288, 32, 11),
    /** Number of the port. */
    LOCAL_PORT_NUM(320, 8, 12),
    /** Vendor. */
    VENDOR_ID(328, 24, 13),
    /** Description, UTF-8. */
    NODE_DESCRIPTION(352, 512, 14),
    /** NodeInfo, whole. */
    NODE_INFO(32, 320, -1);

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
  public NodeRecord() {
    super(ATTRIBUTE_ID, 108, Field.class);
  }

  @Override
  public NodeRecord fresh() {
    return new NodeRecord();
  }
}
