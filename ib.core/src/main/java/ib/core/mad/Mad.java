package ib.core.mad;

import ib.core.mad.smp.Smp;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotThreadSafe;
import ib.core.wire.MadHeader;
import ib.core.wire.RmppHeader;
import ib.core.wire.SaHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A management datagram of 256 bytes, or a message that RMPP carries in several: the headers of its
 * class once, then all its data. The views change the bytes in place.
 */
@NotThreadSafe
public final class Mad {
  /** Directed routes keep their two paths behind the data (IBA 14.2.1.2). */
  private static final int PATHS = 128;

  private static final ValueLayout.OfInt WORD =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final MemorySegment bytes;
  private final long length;
  private final MadHeader header = new MadHeader();

  private Mad(MemorySegment bytes, long length) {
    this.bytes = bytes;
    this.length = length;
    header.wrap(bytes, 0);
  }

  /**
   * Takes bytes as they are.
   *
   * @param bytes 256 of them, or more for a message of several datagrams; not copied
   * @return the datagram
   * @throws IbInvalidException for fewer
   */
  public static Mad of(MemorySegment bytes) {
    if (bytes.byteSize() < MadHeader.MAD_BYTES) {
      throw new IbInvalidException("Mad", bytes.byteSize() + " bytes", "at least 256 (IBA 13.4.2)");
    }
    return new Mad(bytes, bytes.byteSize());
  }

  /**
   * A new datagram, all its data 0.
   *
   * @param mgmtClass class, see {@link MgmtClass}
   * @param classVersion version of the class
   * @param method method, see {@link MadMethod}
   * @param attributeId attribute
   * @param attributeModifier modifier
   * @return the datagram
   */
  public static Mad request(
      int mgmtClass, int classVersion, int method, int attributeId, int attributeModifier) {
    Mad mad = of(MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES]));
    MadHeader h = mad.header;
    h.baseVersion(MadHeader.BASE_VERSION);
    h.mgmtClass(mgmtClass);
    h.classVersion(classVersion);
    h.method(method & ~MadMethod.RESPONSE);
    h.response((method & MadMethod.RESPONSE) != 0);
    h.attributeId(attributeId);
    h.attributeModifier(attributeModifier);
    return mad;
  }

  /**
   * A response to this: the headers copied, method and response bit set, data 0. Answers Get and
   * Set by GetResp, everything else by its own response (IBA 13.4.5).
   *
   * @param status 16 bits, 0 when all is well
   * @return the response, one datagram; see {@link #withData} for more
   */
  public Mad response(int status) {
    Mad r = headers();
    r.header.method(header.method() == MadMethod.SET ? MadMethod.GET : header.method());
    r.header.response(true);
    r.header.status(status);
    if (header.mgmtClass() == MgmtClass.SUBN_DIRECTED_ROUTE) {
      Smp.DIRECTION.set(r.bytes, 1); // the D bit is the highest of the status (IBA 14.2.1.2)
    }
    return r;
  }

  /**
   * Returns a copy of this datagram's headers before other data: one datagram, or a message as long
   * as the data needs (RMPP, which also keeps the length of shorter data).
   *
   * @param data what follows the headers; copied
   * @return a new datagram or message, whose {@link #data} is as long as this
   */
  public Mad withData(MemorySegment data) {
    int at = dataOffset();
    Mad m = copy(at + data.byteSize(), at);
    MemorySegment.copy(data, 0, m.bytes, at, data.byteSize());
    return m;
  }

  /** {@return a new datagram with the same headers and all its data 0} */
  public Mad headers() {
    Mad m = copy(MadHeader.MAD_BYTES, dataOffset());
    if (header.mgmtClass() == MgmtClass.SUBN_DIRECTED_ROUTE) {
      MemorySegment.copy(bytes, PATHS, m.bytes, PATHS, MadHeader.MAD_BYTES - PATHS);
    }
    return m;
  }

  /** {@return a copy with bytes of its own} */
  public Mad copy() {
    return copy(length, length);
  }

  private Mad copy(long newLength, long taken) {
    int size = Math.toIntExact(Math.max(MadHeader.MAD_BYTES, newLength));
    MemorySegment target = MemorySegment.ofArray(new byte[size]);
    MemorySegment.copy(bytes, 0, target, 0, taken);
    return new Mad(target, newLength);
  }

  /** {@return the common header} */
  public MadHeader header() {
    return header;
  }

  /** {@return a view of the RMPP header} */
  public RmppHeader rmpp() {
    RmppHeader h = new RmppHeader();
    h.wrap(bytes, MadHeader.BYTES);
    return h;
  }

  /** {@return a view of the header of subnet administration} */
  public SaHeader sa() {
    SaHeader h = new SaHeader();
    h.wrap(bytes, MadHeader.BYTES + RmppHeader.BYTES);
    return h;
  }

  /** {@return the OUI of a vendor class that has one, else 0 (IBA 16.5)} */
  public int oui() {
    return MgmtClass.vendorOui(header.mgmtClass())
        ? bytes.get(WORD, MadHeader.BYTES + RmppHeader.BYTES) & 0xffffff
        : 0;
  }

  /**
   * Sets it.
   *
   * @param oui 24 bits; ignored unless the class is a vendor's 0x30 to 0x4f
   */
  public void oui(int oui) {
    if (MgmtClass.vendorOui(header.mgmtClass())) {
      bytes.set(WORD, MadHeader.BYTES + RmppHeader.BYTES, oui & 0xffffff);
    }
  }

  /** {@return where the data begins, by the class} */
  public int dataOffset() {
    return MgmtClass.dataOffset(header.mgmtClass());
  }

  /** {@return the data after the headers of the class, all of it} */
  public MemorySegment data() {
    int at = dataOffset();
    return bytes.asSlice(at, length - at);
  }

  /** {@return all bytes} */
  public MemorySegment bytes() {
    return bytes;
  }

  /** {@return whether it is longer than a datagram, so that only RMPP carries it} */
  public boolean isLong() {
    return length > MadHeader.MAD_BYTES;
  }

  @Override
  public String toString() {
    return String.format(
        "class 0x%02x method 0x%02x%s attribute 0x%04x modifier 0x%x status 0x%04x tid 0x%016x",
        header.mgmtClass(),
        header.method(),
        header.response() ? " response" : "",
        header.attributeId(),
        header.attributeModifier(),
        header.status(),
        header.transactionId());
  }
}
