package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadSource;
import ib.core.mad.RmppStatus;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.wire.MadHeader;
import ib.core.wire.RmppHeader;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The common part of both sides of RMPP (IBA vol. 1 section 13.6; M7). */
final class Rmpp {
  /** Bytes of a segment that PayloadLength counts: all after the RMPP header. */
  static final int SEGMENT_PAYLOAD = MadHeader.MAD_BYTES - MadHeader.BYTES - RmppHeader.BYTES;

  /** How many segments may be under way. */
  static final int WINDOW = 64;

  /** The longest message: 2^16 segments, 12.5 MiB of records. */
  static final int MAX_SEGMENTS = 1 << 16;

  /** How long a message may take to arrive. */
  static final long RECEIVE_NS = TimeUnit.SECONDS.toNanos(40);

  /** How long a message that has arrived is remembered, to acknowledge segments sent again. */
  static final long LINGER_NS = TimeUnit.SECONDS.toNanos(10);

  /** How long a sender of responses waits for an acknowledgement, and how often. */
  static final long RESPONSE_NS = TimeUnit.MILLISECONDS.toNanos(800);

  static final int RESPONSE_RETRIES = 10;

  /** The port, as a transfer needs it. All calls and callbacks are on the port's serial. */
  interface Port {
    /** Sends one datagram. */
    void transmit(Mad mad, MadAddress to);

    /** Runs something later. */
    World.Alarm after(long delayNs, Runnable what);

    /** Adds 1 to a counter. */
    void count(Counter counter);

    /** Counts a datagram that is refused, and tells of it. */
    void refused(Counter counter, String reason, MadSource source);
  }

  /**
   * Which transfer: of the sender, response or not, with that identifier.
   *
   * @param tid transaction identifier
   * @param mgmtClass class
   * @param response whether the message is a response
   * @param lid LID of the peer
   * @param gid GID of the peer, when it has a global route
   */
  record Key(long tid, int mgmtClass, boolean response, int lid, @Nullable Gid gid) {
    static Key of(MadHeader h, boolean response, @Nullable AhAttr peer) {
      GlobalRoute grh = peer == null ? null : peer.grh();
      int lid = peer == null ? 0 : peer.dlid();
      return new Key(
          h.transactionId(), h.mgmtClass(), response, lid, grh == null ? null : grh.dgid());
    }
  }

  private Rmpp() {}

  /** {@return whether a message goes by RMPP though it may be short (IBA 15.3.1)} */
  static boolean method(MadHeader h) {
    int m = h.method();
    return m == MadMethod.GET_MULTI
        || h.response() && (m == MadMethod.GET_TABLE || m == MadMethod.GET_TRACE_TABLE);
  }

  /** {@return whether this datagram is one of a transfer} */
  static boolean active(Mad mad) {
    return (mad.rmpp().rmppFlags() & RmppHeader.FLAG_ACTIVE) != 0;
  }

  /** {@return a STOP if resources are exhausted, otherwise an ABORT (IBA table 118)} */
  static Mad refusal(Mad of, RmppStatus status) {
    int type =
        status == RmppStatus.RESOURCES_EXHAUSTED ? RmppHeader.TYPE_STOP : RmppHeader.TYPE_ABORT;
    return control(of, true, type, status, 0, 0);
  }

  /** {@return an ACK, STOP or ABORT that answers a datagram of the peer's or of our own} */
  static Mad control(Mad of, boolean flip, int type, RmppStatus status, int segment, int window) {
    Mad mad = of.headers();
    mad.header().response(of.header().response() != flip);
    RmppHeader h = mad.rmpp();
    h.clear();
    h.rmppVersion(RmppHeader.VERSION);
    h.rmppType(type);
    h.respTime(RmppHeader.NO_RESPONSE_TIME);
    h.rmppFlags(RmppHeader.FLAG_ACTIVE);
    h.rmppStatus(status.value());
    h.segmentNumber(segment);
    h.newWindowLast(window);
    return mad;
  }
}
