package ib.core.sa;

import ib.core.verbs.Gid;
import java.util.Arrays;

/** An event, of traps and reports (IBA vol. 1 section 13.4.8.2). A trap has the first 64 bytes. */
public final class Notice extends SaRecord<Notice, Notice.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0002;

  /** Fields. */
  public enum Field implements SaField {
    /** Whether the specification defines it. */
    IS_GENERIC(0, 1, -1),
    /** 0 fatal, 1 urgent, 2 security, 3 SM, 4 informational, 127 empty. */
    TYPE(1, 7, -1),
    /** Kind of the reporter: 1 CA, 2 switch, 3 router, 4 class manager. */
    PRODUCER_TYPE(8, 24, -1),
    /** Number of the trap, or device id. */
    TRAP_NUMBER(32, 16, -1),
    /** LID of who tells. */
    ISSUER_LID(48, 16, -1),
    /** Whether it is pending. */
    NOTICE_TOGGLE(64, 1, -1),
    /** How many are pending. */
    NOTICE_COUNT(65, 15, -1),
    /** Details, 54 bytes; the trap number says which. */
    DATA_DETAILS(80, 432, -1),
    /** GID of who tells; of reports. */
    ISSUER_GID(512, 128, -1);

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
  public Notice() {
    super(ATTRIBUTE_ID, 80, Field.class);
  }

  @Override
  public Notice fresh() {
    return new Notice();
  }

  /** Bytes of a notice in a trap of subnet management. */
  public static final int TRAP_BYTES = 64;

  /** Trap: a port has come into service; details at 6: its GID. */
  public static final int TRAP_GID_IN_SERVICE = 64;

  /** Trap: a port has gone out of service. */
  public static final int TRAP_GID_OUT_OF_SERVICE = 65;

  /** Trap: a multicast group was created; details at 6: the MGID. */
  public static final int TRAP_MCG_CREATED = 66;

  /** Trap: a multicast group was deleted. */
  public static final int TRAP_MCG_DELETED = 67;

  /**
   * The GID that traps 64 to 67 speak of.
   *
   * @return bytes 6 to 21 of the details (IBA table 131)
   */
  public Gid detailsGid() {
    return Gid.of(Arrays.copyOfRange(raw(Field.DATA_DETAILS), 6, 22));
  }

  /**
   * {@return this, with the GID that traps 64 to 67 speak of}
   *
   * @param gid the port or group
   */
  public Notice detailsGid(Gid gid) {
    byte[] details = raw(Field.DATA_DETAILS);
    System.arraycopy(gid.toBytes(), 0, details, 6, 16);
    return set(Field.DATA_DETAILS, details);
  }
}
