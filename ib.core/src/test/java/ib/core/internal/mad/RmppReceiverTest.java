package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadSource;
import ib.core.mad.MgmtClass;
import ib.core.mad.RmppException;
import ib.core.mad.RmppStatus;
import ib.core.verbs.AhAttr;
import ib.core.wire.RmppHeader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("M7: one receiver alone, at the bounds of what a sender may send (IBA 13.6.4)")
final class RmppReceiverTest {
  private static final MadSource SOURCE =
      new MadSource(1, false, 7, 0, 33, 0, AhAttr.ofLid(1, 7, 0));
  private static final Rmpp.Key KEY = new Rmpp.Key(2, 3, false, 7, null);
  private static final int LAST = RmppHeader.FLAG_LAST;

  private final List<String> sent = new ArrayList<>();
  private final List<Runnable> alarms = new ArrayList<>();
  private final Receives room = new Receives();
  private int refused;
  private String end = "";

  private final Rmpp.Port port =
      new Rmpp.Port() {
        @Override
        public void transmit(Mad mad, MadAddress to) {
          RmppHeader h = mad.rmpp();
          boolean ack = h.rmppType() == RmppHeader.TYPE_ACK;
          sent.add(ack ? h.segmentNumber() + " of " + h.newWindowLast() : "" + h.rmppStatus());
        }

        @Override
        public World.Alarm after(long delayNs, Runnable what) {
          alarms.add(what);
          return () -> alarms.remove(what);
        }

        @Override
        public void count(Counter counter) {
          // RmppTest looks at the counters
        }

        @Override
        public void refused(Counter counter, String reason, MadSource source) {
          refused++;
        }
      };

  private final RmppReceive receiver =
      new RmppReceive(
          KEY,
          SOURCE,
          Net.to(7),
          room,
          port,
          new RmppReceive.End() {
            @Override
            public void message(Mad message) {
              end += message.data().byteSize() + " bytes";
            }

            @Override
            public void failed(RmppException why) {
              end += "failed";
            }
          });

  private void data(int number, int flags, int payload) {
    Mad mad = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0);
    RmppHeader h = mad.rmpp();
    h.rmppVersion(RmppHeader.VERSION);
    h.rmppType(RmppHeader.TYPE_DATA);
    h.rmppFlags(RmppHeader.FLAG_ACTIVE | flags | (number == 1 ? RmppHeader.FLAG_FIRST : 0));
    h.segmentNumber(number);
    h.payloadLength(payload);
    receiver.data(mad);
  }

  private void data(int number, int flags) {
    data(number, flags, Rmpp.SEGMENT_PAYLOAD);
  }

  private void said(String... expected) {
    assertEquals(List.of(expected), sent);
    sent.clear();
  }

  private static String status(RmppStatus status) {
    return "" + status.value();
  }

  @Test
  @DisplayName("a segment behind the window is refused, the last one in it is not")
  void window() {
    data(2, 0);
    assertEquals(1, refused);
    data(1, 0);
    said("1 of " + (1 + Rmpp.WINDOW));
    data(2 + Rmpp.WINDOW, 0);
    assertEquals(2, refused);
    data(1 + Rmpp.WINDOW, 0);
    assertEquals(2, refused);
    said();
  }

  @ParameterizedTest
  @CsvSource({"4, 0", "4, 4", "2, 4"})
  @DisplayName("what contradicts the last segment ends the message")
  void last(int number, int flags) {
    data(1, 0);
    data(3, LAST);
    said("1 of " + (1 + Rmpp.WINDOW));
    data(number, flags);
    said(status(RmppStatus.INCONSISTENT_LAST_PAYLOAD));
    assertEquals("failed", end);
    assertTrue(alarms.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"19, failed", "20, 0 bytes", "220, 200 bytes", "221, failed"})
  @DisplayName("the last segment has its headers at least and no more than fits")
  void payload(int payload, String expected) {
    assertEquals(220, Rmpp.SEGMENT_PAYLOAD);
    data(1, LAST, payload);
    assertEquals(expected, end);
  }

  @Test
  @DisplayName("a message has so many segments and not one more")
  void segments() {
    for (int i = 1; i < Rmpp.MAX_SEGMENTS; i++) {
      data(i, 0);
    }
    assertEquals("", end);
    data(Rmpp.MAX_SEGMENTS, LAST);
    assertEquals(Rmpp.MAX_SEGMENTS * 200 + " bytes", end);
    assertEquals(0, refused);
  }

  @Test
  @DisplayName("one segment more than a message may have ends it")
  void tooMany() {
    for (int i = 1; i <= Rmpp.MAX_SEGMENTS; i++) {
      data(i, 0);
    }
    sent.clear();
    data(Rmpp.MAX_SEGMENTS + 1, LAST);
    said(status(RmppStatus.RESOURCES_EXHAUSTED));
    assertEquals("failed", end);
    for (int i = 0; i < Receives.MAX_SEGMENTS; i++) {
      assertTrue(room.keep(), "its place is free, " + i);
    }
  }

  @Test
  @DisplayName("a message that has arrived is not aborted, and is forgotten after a while")
  void arrived() {
    room.put(KEY, new Receives.Receiving(null, receiver));
    data(1, LAST);
    said("1 of " + 1);
    assertTrue(receiver.complete());
    receiver.aborted(RmppStatus.NORMAL);
    assertEquals("200 bytes", end);
    data(1, LAST);
    said("1 of " + 1);
    assertNotNull(room.get(KEY), "remembered");
    alarms.removeLast().run();
    assertNull(room.get(KEY), "forgotten");
    assertEquals("200 bytes", end);
    assertTrue(alarms.isEmpty());
  }

  @Test
  @DisplayName("a sender that grants a window for the answer takes nothing of it back")
  void turnAround() {
    assertEquals(1, receiver.replyWindow());
    receiver.turnAround(5);
    receiver.turnAround(3);
    assertEquals(5, receiver.replyWindow());
    assertFalse(receiver.complete());
  }

  @Test
  @DisplayName("a message whose end does not come is given up, with a word only to a known sender")
  void givenUp() {
    room.put(KEY, new Receives.Receiving(null, receiver));
    data(1, 0);
    sent.clear();
    alarms.removeLast().run();
    said(status(RmppStatus.TOTAL_TIME_TOO_LONG));
    assertEquals("failed", end);
    assertNull(room.get(KEY), "forgotten");
    data(2, LAST);
    assertEquals(1, refused, "it is over");
  }
}
