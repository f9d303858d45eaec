package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.RmppException;
import ib.core.mad.RmppStatus;
import ib.core.verbs.IbException;
import ib.core.wire.MadHeader;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a message (IBA 13.6.3): window 1 until the first acknowledgement, then as far as
 * the receiver allows; what was not acknowledged in time is sent again from there.
 */
final class RmppSend {
  private final Mad message;
  private final MadAddress to;
  private final Rmpp.Port port;
  private final long timeoutNs;
  private final int retries;
  private final Consumer<@Nullable IbException> end;
  private final int offset;
  private final int segmentBytes;

  /** The number of segments. */
  final int segments;

  private int acknowledged;
  private int sent;
  private int highest;
  private int window;
  private int retriesLeft;
  private boolean ended;
  private World.@Nullable Alarm alarm;

  /**
   * Makes a transfer; {@link #start} begins it.
   *
   * @param end called with null when the peer has the whole message, else with the failure
   */
  RmppSend(
      Mad message,
      MadAddress to,
      Rmpp.Port port,
      long timeoutNs,
      int retries,
      Consumer<@Nullable IbException> end) {
    this.message = message;
    this.to = to;
    this.port = port;
    this.timeoutNs = timeoutNs;
    this.retries = retries;
    this.retriesLeft = retries;
    this.end = end;
    this.offset = message.dataOffset();
    this.segmentBytes = MadHeader.MAD_BYTES - offset;
    long data = message.data().byteSize();
    this.segments = (int) Math.max(1, (data + segmentBytes - 1) / segmentBytes);
  }

  /** Starts to send, with the window that the receiver has granted already, at least 1. */
  void start(int firstWindow) {
    window = Math.max(1, firstWindow);
    pump();
  }

  private void pump() {
    while (sent < Math.min(window, segments)) {
      sent++;
      if (sent <= highest) {
        port.count(Counter.RMPP_RETRANSMITS);
      }
      highest = Math.max(highest, sent);
      port.count(Counter.RMPP_SEGMENTS);
      port.transmit(segment(sent), to);
    }
    arm();
  }

  private void arm() {
    disarm();
    alarm = port.after(timeoutNs, this::timeout);
  }

  private void disarm() {
    alarm = World.cancelled(alarm);
  }

  private Mad segment(int number) {
    Mad mad = message.headers();
    MemorySegment data = message.data();
    long at = (long) (number - 1) * segmentBytes;
    long length = Math.min(segmentBytes, data.byteSize() - at);
    MemorySegment.copy(data, at, mad.bytes(), offset, length);
    RmppHeader h = mad.rmpp();
    h.clear();
    h.rmppVersion(RmppHeader.VERSION);
    h.rmppType(RmppHeader.TYPE_DATA);
    h.respTime(RmppHeader.NO_RESPONSE_TIME);
    int flags = RmppHeader.FLAG_ACTIVE;
    int pad = segments * segmentBytes - (int) data.byteSize();
    if (number == 1) {
      flags |= RmppHeader.FLAG_FIRST;
      h.payloadLength(segments * Rmpp.SEGMENT_PAYLOAD - pad); // of all (IBA 13.6.2.3)
    }
    if (number == segments) {
      flags |= RmppHeader.FLAG_LAST;
      h.payloadLength(Rmpp.SEGMENT_PAYLOAD - pad);
    }
    h.rmppFlags(flags);
    h.segmentNumber(number);
    return mad;
  }

  /** Handles an ACK: the receiver has all segments up to one, and allows more up to another. */
  void acknowledged(int segment, int newWindow) {
    if (ended || segment < acknowledged || segment == 0 && newWindow == 0) {
      return; // an old one that was overtaken
    }
    if (segment > highest) {
      abort(RmppStatus.SEGMENT_TOO_BIG);
    } else if (newWindow < segment) {
      abort(RmppStatus.WINDOW_TOO_SMALL);
    } else if (segment == segments) {
      finish(null);
    } else {
      if (segment > acknowledged) {
        retriesLeft = retries;
      }
      boolean more = segment > acknowledged || newWindow > window;
      acknowledged = segment;
      sent = Math.max(sent, segment);
      window = Math.max(window, newWindow);
      if (more) {
        pump();
      }
    }
  }

  private void timeout() {
    if (ended) {
      return;
    }
    if (retriesLeft-- == 0) {
      abort(RmppStatus.TOO_MANY_RETRIES);
      return;
    }
    sent = acknowledged;
    pump();
  }

  private void abort(RmppStatus status) {
    port.count(Counter.RMPP_ABORTS);
    port.transmit(Rmpp.control(message, false, RmppHeader.TYPE_ABORT, status, 0, 0), to);
    finish(new RmppException(status, "sending " + message, false));
  }

  /** Ends the transfer, because the receiver has stopped or aborted it. */
  void stopped(RmppStatus status) {
    finish(new RmppException(status, "sending " + message, true));
  }

  /** Completes the transfer, because the receiver already sends the response. */
  void answered() {
    finish(null);
  }

  /** Gives up without a word to the peer: the agent is closed. */
  void cancel() {
    ended = true;
    disarm();
  }

  private void finish(@Nullable IbException failure) {
    if (!ended) {
      cancel();
      end.accept(failure);
    }
  }
}
