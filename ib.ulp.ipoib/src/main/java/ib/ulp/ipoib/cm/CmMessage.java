package ib.ulp.ipoib.cm;

import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message of the connection manager (IBA 12.6): the content of the 232 data bytes of its MAD. */
public sealed interface CmMessage
    permits CmRequest,
        CmReply,
        CmMessage.ReadyToUse,
        CmReject,
        CmMessage.DisconnectRequest,
        CmMessage.DisconnectReply,
        CmMessage.ReceiptAck {
  int REQ = 0x0010;
  int MRA = 0x0011;
  int REJ = 0x0012;
  int REP = 0x0013;
  int RTU = 0x0014;
  int DREQ = 0x0015;
  int DREP = 0x0016;

  /** Bytes after the MAD header. */
  int BYTES = 232;

  /** {@return the message's attribute ID (IBA 12.6, table 97)} */
  int attribute();

  /** {@return the sender's communication ID of the connection; 0 when the sender has none} */
  int localId();

  /** {@return the receiver's communication ID of the connection; 0 in a REQ} */
  int remoteId();

  /** Writes the message into {@code s}, which must contain zeros only. */
  void write(MemorySegment s);

  /**
   * Reads a message. Never throws, whatever the bytes are.
   *
   * @param s at least {@link #BYTES}
   * @return null for an attribute that is none of these, or for a field outside its range
   */
  static @Nullable CmMessage read(int attribute, MemorySegment s) {
    int local = Octets.u32(s, 0);
    int remote = Octets.u32(s, 4);
    return switch (attribute) {
      case REQ -> CmRequest.read(s);
      case MRA -> new ReceiptAck(local, remote, Octets.u8(s, 8) >> 6, Octets.u8(s, 9) >> 3);
      case REJ -> CmReject.read(s);
      case REP -> CmReply.read(s);
      case RTU -> new ReadyToUse(local, remote);
      case DREQ -> new DisconnectRequest(local, remote, Octets.u32(s, 8) >>> 8);
      case DREP -> new DisconnectReply(local, remote);
      default -> null;
    };
  }

  private static void ids(MemorySegment s, int local, int remote) {
    Octets.u32(s, 0, local);
    Octets.u32(s, 4, remote);
  }

  /** RTU: the active side is ready (IBA 12.6.9). */
  record ReadyToUse(int localId, int remoteId) implements CmMessage {
    @Override
    public int attribute() {
      return RTU;
    }

    @Override
    public void write(MemorySegment s) {
      ids(s, localId, remoteId);
    }
  }

  /**
   * DREQ: the sender has ended the connection (IBA 12.6.10).
   *
   * @param remoteQpn queue pair of the receiver
   */
  record DisconnectRequest(int localId, int remoteId, int remoteQpn) implements CmMessage {
    @Override
    public int attribute() {
      return DREQ;
    }

    @Override
    public void write(MemorySegment s) {
      ids(s, localId, remoteId);
      Octets.u32(s, 8, remoteQpn << 8);
    }
  }

  /** DREP: the answer to a DREQ (IBA 12.6.11). */
  record DisconnectReply(int localId, int remoteId) implements CmMessage {
    @Override
    public int attribute() {
      return DREP;
    }

    @Override
    public void write(MemorySegment s) {
      ids(s, localId, remoteId);
    }
  }

  /**
   * MRA: the answer will take longer (IBA 12.6.6).
   *
   * @param message what is acknowledged: 0 REQ, 1 REP
   * @param timeout 4.096 us * 2^n
   */
  record ReceiptAck(int localId, int remoteId, int message, int timeout) implements CmMessage {
    @Override
    public int attribute() {
      return MRA;
    }

    @Override
    public void write(MemorySegment s) {
      ids(s, localId, remoteId);
      Octets.u8(s, 8, message << 6);
      Octets.u8(s, 9, timeout << 3);
    }
  }
}
