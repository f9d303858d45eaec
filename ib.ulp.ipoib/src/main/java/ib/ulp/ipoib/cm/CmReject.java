package ib.ulp.ipoib.cm;

import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * REJ: the sender rejects the connection (IBA 12.6.7).
 *
 * @param localId the sender's communication ID; 0 if the sender never assigned one
 * @param remoteId the receiver's communication ID
 * @param message what is rejected: {@link #OF_REQ}, {@link #OF_REP}, {@link #OF_OTHER}
 * @param reason see IBA table 108
 * @param data queue pair and MTU of the sender's interface (W13)
 */
public record CmReject(int localId, int remoteId, int message, int reason, Connected data)
    implements CmMessage {
  public static final int OF_REQ = 0;
  public static final int OF_REP = 1;
  public static final int OF_OTHER = 2;

  /** The sender cannot hold more connections. */
  public static final int NO_RESOURCES = 3;

  /** The sender's wait for an answer has timed out. */
  public static final int TIMEOUT = 4;

  /** The sender has no such connection. */
  public static final int INVALID_ID = 6;

  /** The sender does not support the request. */
  public static final int UNSUPPORTED = 5;

  /** No interface listens to the service ID. */
  public static final int INVALID_SERVICE = 8;

  /** A GID of the path belongs neither to the sender nor to the receiver. */
  public static final int INVALID_GID = 12;

  /** A LID of the path belongs neither to the sender nor to the receiver. */
  public static final int INVALID_LID = 13;

  /**
   * The interface does not want the connection: of two requests that cross, the other one is
   * accepted (C3).
   */
  public static final int CONSUMER = 28;

  private static final int PRIVATE = 84;

  @Override
  public int attribute() {
    return REJ;
  }

  @Override
  public void write(MemorySegment s) {
    Octets.u32(s, 0, localId);
    Octets.u32(s, 4, remoteId);
    Octets.u8(s, 8, message << 6);
    Octets.u16(s, 10, reason);
    data.write(s, PRIVATE);
  }

  static CmReject read(MemorySegment s) {
    return new CmReject(
        Octets.u32(s, 0),
        Octets.u32(s, 4),
        Octets.u8(s, 8) >> 6,
        Octets.u16(s, 10),
        Connected.read(s, PRIVATE));
  }
}
