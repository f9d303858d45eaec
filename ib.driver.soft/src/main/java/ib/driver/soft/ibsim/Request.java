package ib.driver.soft.ibsim;

import ib.core.mad.smp.Smp;
import ib.core.wire.MadHeader;
import ib.driver.soft.fabric.Datagram;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** {@code struct sim_request}: a datagram between a client and the ibsim server, 288 bytes. */
final class Request {
  static final int BYTES = 288;

  private static final int DLID = 0;
  private static final int SLID = 4;
  private static final int DEST_QP = 8;
  private static final int SOURCE_QP = 12;
  private static final int STATUS = 16;
  private static final int LENGTH = 24;
  private static final int MAD = 32;

  private Request() {}

  static Datagram read(ByteBuffer bytes) {
    bytes.order(ByteOrder.BIG_ENDIAN);
    Datagram d =
        new Datagram(
            MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES])
                .copyFrom(MemorySegment.ofBuffer(bytes).asSlice(MAD, MadHeader.MAD_BYTES)));
    d.dlid = bytes.getShort(DLID) & 0xffff;
    d.slid = bytes.getShort(SLID) & 0xffff;
    d.destQpn = bytes.getInt(DEST_QP);
    d.sourceQpn = bytes.getInt(SOURCE_QP);
    boolean byHops = Smp.DR_SLID.in(d.mad) == Smp.PERMISSIVE_LID; // from the beginning
    if (d.directed() && (byHops || d.response())) {
      d.dlid = Smp.PERMISSIVE_LID;
      d.slid = Smp.PERMISSIVE_LID;
    }
    return d;
  }

  /** Writes a datagram for a client; a status that is not 0 says that a request was lost. */
  static ByteBuffer write(Datagram d, int status) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putShort(DLID, (short) d.dlid);
    bytes.putShort(SLID, (short) d.slid);
    bytes.putInt(DEST_QP, d.destQpn);
    bytes.putInt(SOURCE_QP, d.sourceQpn);
    bytes.putInt(STATUS, status);
    bytes.putLong(LENGTH, MadHeader.MAD_BYTES);
    MemorySegment.ofBuffer(bytes).asSlice(MAD, MadHeader.MAD_BYTES).copyFrom(d.mad);
    return bytes;
  }
}
