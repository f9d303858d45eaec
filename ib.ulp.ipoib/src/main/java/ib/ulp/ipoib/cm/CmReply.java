package ib.ulp.ipoib.cm;

import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * REP: the sender accepts a request (IBA 12.6.8).
 *
 * @param localId communication ID of the REP's sender
 * @param remoteId communication ID of the REQ's sender
 * @param qpn queue pair of the REP's sender
 * @param psn first packet sequence number that the REP's receiver sends (RG-23)
 * @param caGuid GUID of the adapter of the REP's sender
 * @param data queue pair and MTU of the interface of the REP's sender (W13)
 */
public record CmReply(int localId, int remoteId, int qpn, int psn, long caGuid, Connected data)
    implements CmMessage {
  private static final int PRIVATE = 36;
  private static final int ACK_DELAY = 15;
  private static final int SRQ = 0x10;

  @Override
  public int attribute() {
    return REP;
  }

  @Override
  public void write(MemorySegment s) {
    Octets.u32(s, 0, localId);
    Octets.u32(s, 4, remoteId);
    Octets.u32(s, 12, qpn << 8);
    Octets.u32(s, 20, psn << 8);
    Octets.u8(s, 24, CmRequest.RESPONDER_RESOURCES);
    Octets.u8(s, 26, ACK_DELAY << 3 | 1); // end-to-end flow control
    Octets.u8(s, 27, SRQ); // C2: no retry when the receiver is not ready
    Octets.u64(s, 28, caGuid);
    data.write(s, PRIVATE);
  }

  static CmReply read(MemorySegment s) {
    return new CmReply(
        Octets.u32(s, 0),
        Octets.u32(s, 4),
        Octets.u32(s, 12) >>> 8,
        Octets.u32(s, 20) >>> 8,
        Octets.u64(s, 28),
        Connected.read(s, PRIVATE));
  }
}
