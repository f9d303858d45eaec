package samples.nvmet;

/**
 * How a command has ended: status code type and status code (NVM Express Base, "Status Field";
 * fabrics: NVMe over Fabrics, "Status Codes").
 */
enum Status {
  SUCCESS(0x000),
  INVALID_OPCODE(0x001),
  INVALID_FIELD(0x002),
  INTERNAL_ERROR(0x006),
  INVALID_NAMESPACE(0x00b),
  COMMAND_SEQUENCE_ERROR(0x00c),
  DATA_SGL_LENGTH_INVALID(0x00f),
  SGL_DESCRIPTOR_TYPE_INVALID(0x011),
  SGL_OFFSET_INVALID(0x016),
  LBA_OUT_OF_RANGE(0x080),
  ASYNC_EVENT_LIMIT(0x105),
  INVALID_LOG_PAGE(0x109),
  CONNECT_INCOMPATIBLE_FORMAT(0x180),
  CONTROLLER_BUSY(0x181),
  CONNECT_INVALID_PARAMETERS(0x182),
  CONNECT_INVALID_HOST(0x184);

  private static final int DO_NOT_RETRY = 0x4000;

  private final int code;

  Status(int code) {
    this.code = code;
  }

  /** {@return the status field with its phase bit 0, as it stands in a completion, 16 bits} */
  int field() {
    // another try of the same command ends as this one, but for these
    boolean again = this == SUCCESS || this == INTERNAL_ERROR || this == CONTROLLER_BUSY;
    return (again ? code : code | DO_NOT_RETRY) << 1;
  }

  /** {@return why a command was refused, for the counters} */
  String reason() {
    return "NVMe status " + name();
  }
}
