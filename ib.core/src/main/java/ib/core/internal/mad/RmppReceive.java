package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadSource;
import ib.core.mad.RmppException;
import ib.core.mad.RmppStatus;
import ib.core.wire.MadHeader;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a message (IBA 13.6.4): keeps segments in whatever order they come, acknowledges
 * at the end of each window and of the message, and once more what is sent again. It remembers a
 * message that has arrived for a while, so that a lost last acknowledgement does no harm.
 */
final class RmppReceive {
  /** The end of a transfer. */
  @FunctionalInterface
  interface End {
    /** Called with the whole message. */
    void message(Mad message);

    /** Called when the transfer has failed. */
    default void failed(RmppException why) {}
  }

  private static final String OUTSIDE = "a segment of RMPP outside of the window";
  private static final String NO_SEGMENT = "a segment of RMPP that there is no room for";

  private final Rmpp.Key key;
  private final MadSource source;
  private final MadAddress back;
  private final Receives room;
  private final Rmpp.Port port;
  private final End end;
  private final List<@Nullable Mad> segments = new ArrayList<>();
  private int kept;
  private int contiguous;
  private int last;
  private int windowEnd = 1;
  private int acknowledged;
  private int replyWindow = 1;
  private boolean complete;
  private boolean over;
  private World.@Nullable Alarm alarm;

  RmppReceive(
      Rmpp.Key key, MadSource source, MadAddress back, Receives room, Rmpp.Port port, End end) {
    this.key = key;
    this.source = source;
    this.back = back;
    this.room = room;
    this.port = port;
    this.end = end;
    alarm = port.after(Rmpp.RECEIVE_NS, () -> giveUp(RmppStatus.TOTAL_TIME_TOO_LONG));
  }

  /** {@return how far the sender lets the answer go (double-sided, IBA 13.6.6)} */
  int replyWindow() {
    return replyWindow;
  }

  /** Notes that the sender waits for the response and allows that many segments of it. */
  void turnAround(int window) {
    replyWindow = Math.max(replyWindow, window);
  }

  /** {@return whether all has arrived} */
  boolean complete() {
    return complete;
  }

  /** Handles a segment. */
  void data(Mad mad) {
    RmppHeader h = mad.rmpp();
    int number = h.segmentNumber();
    boolean first = (h.rmppFlags() & RmppHeader.FLAG_FIRST) != 0;
    if (over || number < 1 || number > windowEnd || first != (number == 1)) {
      port.refused(Counter.MALFORMED, OUTSIDE, source);
      return;
    }
    if (complete || number <= acknowledged) {
      port.count(Counter.RMPP_DUPLICATES);
      acknowledge(mad);
      return;
    }
    RmppStatus wrong = check(mad, h, number);
    if (wrong != RmppStatus.NORMAL) {
      giveUp(mad, wrong);
      return;
    }
    while (segments.size() < number) {
      segments.add(null);
    }
    if (segments.get(number - 1) != null) {
      port.count(Counter.RMPP_DUPLICATES);
      return;
    }
    if (!room.keep()) {
      port.refused(Counter.RMPP_NO_ROOM, NO_SEGMENT, source);
      giveUp(mad, RmppStatus.RESOURCES_EXHAUSTED);
      return;
    }
    kept++;
    segments.set(number - 1, mad);
    if ((h.rmppFlags() & RmppHeader.FLAG_LAST) != 0) {
      last = number;
    }
    while (contiguous < segments.size() && segments.get(contiguous) != null) {
      contiguous++;
    }
    if (last != 0 && contiguous == last) {
      finish(mad);
    } else if (contiguous == windowEnd) {
      windowEnd += Rmpp.WINDOW;
      acknowledge(mad);
    }
  }

  private RmppStatus check(Mad mad, RmppHeader h, int number) {
    if (number > Rmpp.MAX_SEGMENTS) {
      return RmppStatus.RESOURCES_EXHAUSTED;
    }
    int headers = mad.dataOffset() - MadHeader.BYTES - RmppHeader.BYTES;
    boolean ends = (h.rmppFlags() & RmppHeader.FLAG_LAST) != 0;
    int payload = h.payloadLength();
    if (ends && (payload < headers || payload > Rmpp.SEGMENT_PAYLOAD)
        || last != 0 && (ends ? number != last : number > last)) {
      return RmppStatus.INCONSISTENT_LAST_PAYLOAD;
    }
    return RmppStatus.NORMAL;
  }

  private void acknowledge(Mad mad) {
    acknowledged = contiguous;
    port.transmit(
        Rmpp.control(
            mad,
            true,
            RmppHeader.TYPE_ACK,
            RmppStatus.NORMAL,
            contiguous,
            Math.max(contiguous, windowEnd)),
        back);
  }

  private void finish(Mad mad) {
    complete = true;
    acknowledge(mad);
    rest(Rmpp.LINGER_NS);
    Mad message = join();
    clear();
    end.message(message);
  }

  private void rest(long lingerNs) {
    cancelAlarm();
    alarm =
        port.after(
            lingerNs,
            () -> {
              over = true;
              room.remove(key);
            });
  }

  private Mad join() {
    Mad first = there(0);
    int offset = first.dataOffset();
    int each = MadHeader.MAD_BYTES - offset;
    int pad = Rmpp.SEGMENT_PAYLOAD - there(last - 1).rmpp().payloadLength();
    byte[] data = new byte[last * each - pad];
    for (int i = 0; i < last; i++) {
      int length = Math.min(each, data.length - i * each);
      MemorySegment.copy(
          there(i).bytes(), offset, MemorySegment.ofArray(data), (long) i * each, length);
    }
    return first.withData(MemorySegment.ofArray(data));
  }

  private Mad there(int index) {
    Mad mad = segments.get(index);
    if (mad == null) {
      throw new IllegalStateException("segment " + (index + 1) + " is missing");
    }
    return mad;
  }

  /** Ends the transfer, because the sender has aborted it. */
  void aborted(RmppStatus status) {
    if (!complete && !over) {
      fail(new RmppException(status, "receiving", true));
    }
  }

  private void giveUp(RmppStatus status) {
    Mad any = segments.isEmpty() ? null : segments.get(0);
    if (any != null) {
      giveUp(any, status);
    } else {
      fail(new RmppException(status, "receiving", false));
    }
  }

  private void giveUp(Mad mad, RmppStatus status) {
    port.count(Counter.RMPP_ABORTS);
    port.transmit(Rmpp.refusal(mad, status), back);
    fail(new RmppException(status, "receiving " + mad, false));
  }

  private void fail(RmppException why) {
    close();
    room.remove(key);
    end.failed(why);
  }

  /** Forgets all without a word to the peer. */
  void close() {
    over = true;
    cancelAlarm();
    clear();
  }

  private void clear() {
    segments.clear();
    room.free(kept);
    kept = 0;
  }

  private void cancelAlarm() {
    alarm = World.cancelled(alarm);
  }
}
