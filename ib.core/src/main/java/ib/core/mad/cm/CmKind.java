package ib.core.mad.cm;

import org.jspecify.annotations.Nullable;

/** The messages of the connection manager (IBA table 97): attribute ID and private data. */
public enum CmKind {
  /** ConnectRequest. */
  REQ(0x0010, 140, 92),
  /** MsgRcptAck: the answer takes longer. */
  MRA(0x0011, 10, 222),
  /** ConnectReject. */
  REJ(0x0012, 84, 148),
  /** ConnectReply. */
  REP(0x0013, 36, 196),
  /** ReadyToUse. */
  RTU(0x0014, 8, 224),
  /** DisconnectRequest. */
  DREQ(0x0015, 12, 220),
  /** DisconnectReply. */
  DREP(0x0016, 8, 224),
  /** ServiceIDResolutionRequest. */
  SIDR_REQ(0x0017, 16, 216),
  /** ServiceIDResolutionResponse. */
  SIDR_REP(0x0018, 96, 136),
  /** LoadAlternatePath. */
  LAP(0x0019, 64, 168),
  /** AlternatePathResponse. */
  APR(0x001A, 84, 148);

  private final int attribute;
  private final int privateAt;
  private final int privateBytes;

  CmKind(int attribute, int privateAt, int privateBytes) {
    this.attribute = attribute;
    this.privateAt = privateAt;
    this.privateBytes = privateBytes;
  }

  /** {@return the attribute ID} */
  public int attribute() {
    return attribute;
  }

  /** {@return offset of the private data in the message} */
  public int privateAt() {
    return privateAt;
  }

  /** {@return the bytes of private data that the message carries (CM-10)} */
  public int privateBytes() {
    return privateBytes;
  }

  /** {@return the message with that attribute ID, or null} */
  public static @Nullable CmKind of(int attribute) {
    for (CmKind each : values()) {
      if (each.attribute == attribute) {
        return each;
      }
    }
    return null;
  }
}
