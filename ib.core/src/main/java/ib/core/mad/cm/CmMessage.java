package ib.core.mad.cm;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.MadField;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.wire.MadHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A message of the connection manager: the 232 data bytes of its datagram, read and written by
 * {@link CmField}. Any 256 bytes give a message or a {@link CmDrop}.
 */
public final class CmMessage implements CmDecoded {
  /** Version of the class. */
  public static final int CLASS_VERSION = 2;

  /** Longest additional information of a REJ. */
  public static final int MAX_REJ_INFO = 72;

  private static final int REJ_INFO_AT = 12; // of an APR the same
  private static final int SIDR_REP_INFO_AT = 24;
  private static final int MIN_MTU = 1;
  private static final int MAX_MTU = 5;

  private final CmKind kind;
  private final Mad mad;
  private final MemorySegment data;

  private CmMessage(CmKind kind, Mad mad) {
    this.kind = kind;
    this.mad = mad;
    data = mad.data();
  }

  /**
   * Creates a message, all its fields 0.
   *
   * @param kind which
   * @param tid transaction ID (CM-3)
   * @return the message
   */
  public static CmMessage of(CmKind kind, long tid) {
    Mad mad = Mad.request(MgmtClass.CM, CLASS_VERSION, MadMethod.SEND, kind.attribute(), 0);
    mad.header().transactionId(tid);
    return new CmMessage(kind, mad);
  }

  /**
   * Reads a datagram of the class. Never throws, whatever the bytes are.
   *
   * @param mad the datagram; not copied
   * @return a {@link CmMessage} or a {@link CmDrop}
   */
  public static CmDecoded read(Mad mad) {
    MadHeader h = mad.header();
    if (h.baseVersion() != MadHeader.BASE_VERSION || h.classVersion() != CLASS_VERSION) {
      return CmDrop.VERSION;
    }
    if (h.method() != MadMethod.SEND || h.response()) {
      return CmDrop.METHOD;
    }
    CmKind kind = CmKind.of(h.attributeId());
    return kind == null ? CmDrop.ATTRIBUTE : new CmMessage(kind, mad).checked();
  }

  private CmDecoded checked() {
    return switch (kind) {
      case REQ -> {
        int mtu = value(CmField.REQ_MTU);
        if (localId() == 0) {
          yield CmDrop.NO_NAME;
        }
        yield mtu < MIN_MTU || mtu > MAX_MTU ? CmDrop.MTU : this;
      }
      case REP, RTU, DREQ, LAP -> localId() == 0 ? CmDrop.NO_NAME : this;
      case REJ -> fits(CmField.REJ_INFO_LEN);
      case SIDR_REP -> fits(CmField.SIDR_REP_INFO_LEN);
      case APR -> fits(CmField.APR_INFO_LEN);
      case MRA, DREP, SIDR_REQ -> this;
    };
  }

  private CmDecoded fits(CmField length) {
    return value(length) > MAX_REJ_INFO ? CmDrop.INFO_LENGTH : this;
  }

  /** {@return which message it is} */
  public CmKind kind() {
    return kind;
  }

  /** {@return the datagram} */
  public Mad mad() {
    return mad;
  }

  /** {@return the transaction ID} */
  public long tid() {
    return mad.header().transactionId();
  }

  /** {@return the name of the connection at the sender} */
  public int localId() {
    return (int) MadField.read(data, 0, 32);
  }

  /** {@return the name of the connection at the receiver; only of messages that have one} */
  public int remoteId() {
    return (int) MadField.read(data, 32, 32);
  }

  /**
   * Writes both names of the connection.
   *
   * @param local the sender's
   * @param remote the receiver's
   * @return this
   */
  public CmMessage ids(int local, int remote) {
    MadField.write(data, 0, 32, local);
    MadField.write(data, 32, 32, remote);
    return this;
  }

  /** {@return a field of at most 32 bits} */
  public int value(CmField field) {
    return own(field).in(data);
  }

  /** {@return a field} */
  public long longValue(CmField field) {
    return own(field).of(data);
  }

  /** {@return a GID, by its first half} */
  public Gid gid(CmField high) {
    return new Gid(own(high).of(data), MadField.read(data, high.bit() + 64, 64));
  }

  /**
   * Writes a field.
   *
   * @return this
   */
  public CmMessage set(CmField field, long value) {
    own(field).set(data, value);
    return this;
  }

  /**
   * Writes a GID, by its first half.
   *
   * @return this
   */
  public CmMessage set(CmField high, Gid gid) {
    own(high).set(data, gid.high());
    MadField.write(data, high.bit() + 64, 64, gid.low());
    return this;
  }

  private CmField own(CmField field) {
    if (field.kind() != kind) {
      throw new IllegalArgumentException(field + " of " + kind);
    }
    return field;
  }

  /** {@return a copy of all bytes of private data; their sender's length is lost (CM-11)} */
  public byte[] privateData() {
    return data.asSlice(kind.privateAt(), kind.privateBytes()).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Writes private data.
   *
   * @param bytes at most as many as the message carries
   * @return this
   * @throws IbInvalidException for more
   */
  public CmMessage privateData(byte[] bytes) {
    if (bytes.length > kind.privateBytes()) {
      throw new IbInvalidException(
          "private data of " + kind, bytes.length + " bytes", "at most " + kind.privateBytes());
    }
    MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, kind.privateAt(), bytes.length);
    return this;
  }

  /** {@return a copy of the additional information of a REJ, APR or SIDR_REP; else no bytes} */
  public byte[] info() {
    int length =
        switch (kind) {
          case REJ -> value(CmField.REJ_INFO_LEN);
          case APR -> value(CmField.APR_INFO_LEN);
          case SIDR_REP -> value(CmField.SIDR_REP_INFO_LEN);
          default -> 0;
        };
    int at = kind == CmKind.SIDR_REP ? SIDR_REP_INFO_AT : REJ_INFO_AT;
    return data.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Writes the additional information of a REJ.
   *
   * @param info at most {@link #MAX_REJ_INFO} bytes
   * @return this
   */
  public CmMessage rejectInfo(byte[] info) {
    if (info.length > MAX_REJ_INFO) {
      throw new IbInvalidException(
          "additional information", info.length + " bytes", "at most " + MAX_REJ_INFO);
    }
    set(CmField.REJ_INFO_LEN, info.length);
    MemorySegment.copy(info, 0, data, ValueLayout.JAVA_BYTE, REJ_INFO_AT, info.length);
    return this;
  }

  /** {@return the message as {@link CmText} writes it} */
  @Override
  public String toString() {
    return CmText.of(mad);
  }
}
