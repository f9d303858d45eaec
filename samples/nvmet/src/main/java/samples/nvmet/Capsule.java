package samples.nvmet;

/** Offsets in capsules (NVM Express Base, "Common Command Format"; NVMe over Fabrics). */
final class Capsule {
  /** Bytes of a command; data may follow. */
  static final int COMMAND = 64;

  /** Bytes of a response. */
  static final int RESPONSE = 16;

  /** Bytes of Identify's data, the most data that a command other than Read and Write has. */
  static final int PAGE = 4096;

  static final int FLAGS = 1;
  static final int CID = 2;
  static final int NSID = 4;
  static final int SGL = 24;
  static final int SGL_LENGTH = 32;
  static final int SGL_KEY = 35;
  static final int SGL_TYPE = 39;
  static final int CDW10 = 40;
  static final int CDW11 = 44;
  static final int CDW12 = 48;
  static final int CDW13 = 52;
  static final int CDW14 = 56;

  // of fabrics commands
  static final int FCTYPE = 4;
  static final int PROPERTY_BYTES = 40;
  static final int PROPERTY = 44;
  static final int PROPERTY_VALUE = 48;
  static final int CONNECT_FORMAT = 40;
  static final int CONNECT_QID = 42;
  static final int CONNECT_SQSIZE = 44;
  static final int CONNECT_ATTRIBUTES = 46;
  static final int CONNECT_KATO = 48;

  // of responses
  static final int RESPONSE_SQHD = 8;
  static final int RESPONSE_SQID = 10;
  static final int RESPONSE_CID = 12;
  static final int RESPONSE_STATUS = 14;

  private Capsule() {}
}
