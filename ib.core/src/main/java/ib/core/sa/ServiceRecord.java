package ib.core.sa;

/**
 * A service that a port offers (IBA vol. 1 section 15.2.5.14). Its last 64 bytes are free: one
 * array each of 8, 16, 32 and 64 bits; components count each of their elements.
 */
public final class ServiceRecord extends SaRecord<ServiceRecord, ServiceRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0031;

  /** Fields. */
  public enum Field implements SaField {
    /** The service. */
    SERVICE_ID(0, 64, 0),
    /** GID of the port that offers the service. */
    SERVICE_GID(64, 128, 1),
    /** Partition. */
    SERVICE_PKEY(192, 16, 2),
    /** Seconds it is to live, all ones: for ever. */
    SERVICE_LEASE(224, 32, 4),
    /** Key that a request to change the record must contain. */
    SERVICE_KEY(256, 128, 5),
    /** Name, UTF-8. */
    SERVICE_NAME(384, 512, 6),
    /** Free, byte 0. */
    DATA8_0(896, 8, 7),
    /** Free, byte 1. */
    DATA8_1(904, 8, 8),
    /** Free, byte 2. */
    DATA8_2(912, 8, 9),
    /** Free, byte 3. */
    DATA8_3(920, 8, 10),
    /** Free, byte 4. */
    DATA8_4(928, 8, 11),
    /** Free, byte 5. */
    DATA8_5(936, 8, 12),
    /** Free, byte 6. */
    DATA8_6(944, 8, 13),
    /** Free, byte 7. */
    DATA8_7(952, 8, 14),
    /** Free, byte 8. */
    DATA8_8(960, 8, 15),
    /** Free, byte 9. */
    DATA8_9(968, 8, 16),
    /** Free, byte 10. */
    DATA8_10(976, 8, 17),
    /** Free, byte 11. */
    DATA8_11(984, 8, 18),
    /** Free, byte 12. */
    DATA8_12(992, 8, 19),
    /** Free, byte 13. */
    DATA8_13(1000, 8, 20),
    /** Free, byte 14. */
    DATA8_14(1008, 8, 21),
    /** Free, byte 15. */
    DATA8_15(1016, 8, 22),
    /** Free, 16 bits, element 0. */
    DATA16_0(1024, 16, 23),
    /** Free, 16 bits, element 1. */
    DATA16_1(1040, 16, 24),
    /** Free, 16 bits, element 2. */
    DATA16_2(1056, 16, 25),
    /** Free, 16 bits, element 3. */
    DATA16_3(1072, 16, 26),
    /** Free, 16 bits, element 4. */
    DATA16_4(1088, 16, 27),
    /** Free, 16 bits, element 5. */
    DATA16_5(1104, 16, 28),
    /** Free, 16 bits, element 6. */
    DATA16_6(1120, 16, 29),
    /** Free, 16 bits, element 7. */
    DATA16_7(1136, 16, 30),
    /** Free, 32 bits, element 0. */
    DATA32_0(1152, 32, 31),
    /** Free, 32 bits, element 1. */
    DATA32_1(1184, 32, 32),
    /** Free, 32 bits, element 2. */
    DATA32_2(1216, 32, 33),
    /** Free, 32 bits, element 3. */
    DATA32_3(1248, 32, 34),
    /** Free, 64 bits, element 0. */
    DATA64_0(1280, 64, 35),
    /** Free, 64 bits, element 1. */
    DATA64_1(1344, 64, 36);

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
  public ServiceRecord() {
    super(ATTRIBUTE_ID, 176, Field.class);
  }

  @Override
  public ServiceRecord fresh() {
    return new ServiceRecord();
  }
}
