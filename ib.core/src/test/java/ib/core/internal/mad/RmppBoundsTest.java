package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadSource;
import ib.core.mad.MgmtClass;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("M7: one sender alone, at the bounds of what a receiver may say (IBA 13.6.3)")
final class RmppBoundsTest {
  private static final int SEGMENT = 200;

  private final List<String> sent = new ArrayList<>();
  private final List<Runnable> alarms = new ArrayList<>();
  private String end = "";
  private int again;

  private final Rmpp.Port port =
      new Rmpp.Port() {
        @Override
        public void transmit(Mad mad, MadAddress to) {
          RmppHeader h = mad.rmpp();
          boolean data = h.rmppType() == RmppHeader.TYPE_DATA;
          sent.add(data ? "" + h.segmentNumber() : "abort " + h.rmppStatus());
        }

        @Override
        public World.Alarm after(long delayNs, Runnable what) {
          alarms.add(what);
          return () -> alarms.remove(what);
        }

        @Override
        public void count(Counter counter) {
          again += counter == Counter.RMPP_RETRANSMITS ? 1 : 0;
        }

        @Override
        public void refused(Counter counter, String reason, MadSource source) {
          throw new AssertionError("a sender refuses nothing: " + reason);
        }
      };

  private RmppSend sender(int segments, int retries) {
    return sender(segments, retries, 1);
  }

  private RmppSend sender(int segments, int retries, int window) {
    Mad message = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0);
    byte[] bytes = new byte[segments * SEGMENT];
    RmppSend send =
        new RmppSend(
            message.withData(MemorySegment.ofArray(bytes)),
            Net.to(2),
            port,
            1,
            retries,
            why -> end = why == null ? "done" : "failed");
    send.start(window);
    return send;
  }

  private void said(String... expected) {
    assertEquals(List.of(expected), sent);
    sent.clear();
  }

  private void timeout() {
    alarms.removeLast().run();
  }

  @Test
  @DisplayName("M7 table 118: an ACK of one more than was sent is too big, and ends the transfer")
  void ahead() {
    RmppSend send = sender(8, 1);
    said("1");
    send.acknowledged(1, 3);
    said("2", "3");
    send.acknowledged(4, 6);
    assertEquals("failed", end);
    assertTrue(sent.getFirst().startsWith("abort"), sent::toString);
    assertTrue(alarms.isEmpty());
  }

  @Test
  @DisplayName("M7: a window that ends at the ACK lets nothing through, and is no mistake")
  void closedWindow() {
    RmppSend send = sender(8, 1);
    send.acknowledged(1, 3);
    said("1", "2", "3");
    send.acknowledged(3, 3);
    said();
    send.acknowledged(3, 4);
    said("4");
    assertEquals("", end);
    send.acknowledged(4, 3);
    assertEquals("failed", end);
  }

  @Test
  @DisplayName("M7: without a window the first segment goes out; with one as many as it has")
  void firstWindow() {
    for (int window : new int[] {-1, 0, 1}) {
      sender(3, 1, window);
      said("1");
    }
    sender(3, 1, 2);
    said("1", "2");
  }

  @Test
  @DisplayName("M7: an ACK that was overtaken says nothing, and no window shrinks")
  void overtaken() {
    RmppSend send = sender(9, 1);
    send.acknowledged(1, 3);
    send.acknowledged(3, 5);
    said("1", "2", "3", "4", "5");
    send.acknowledged(2, 8);
    said();
    send.acknowledged(4, 4);
    timeout();
    said("5");
    send.acknowledged(5, 6);
    said("6");
  }

  @Test
  @DisplayName("M7: each retry is counted, and an ACK that moves on gives all of them back")
  void retries() {
    RmppSend send = sender(3, 2);
    said("1");
    timeout();
    timeout();
    said("1", "1");
    send.acknowledged(1, 2);
    said("2");
    timeout();
    timeout();
    said("2", "2");
    assertEquals("", end);
    send.acknowledged(1, 2); // says nothing new
    said();
    timeout();
    assertEquals("failed", end);
    assertEquals(4, again);
    assertTrue(alarms.isEmpty(), "no timer runs on");
  }

  @Test
  @DisplayName(
      "M7: so many messages and segments are kept, and not one more; what is freed is free")
  void room() {
    Receives room = new Receives();
    for (int i = 0; i < Receives.MAX_MESSAGES; i++) {
      assertTrue(room.admits(), "message " + i);
      Rmpp.Key key = new Rmpp.Key(i, 3, false, 2, null);
      RmppReceive under = new RmppReceive(key, null, Net.to(2), room, port, m -> end = "message");
      room.put(key, new Receives.Receiving(null, under));
    }
    assertFalse(room.admits());
    room.remove(new Rmpp.Key(0, 3, false, 2, null));
    assertTrue(room.admits());
    for (int i = 0; i < Receives.MAX_SEGMENTS; i++) {
      assertTrue(room.keep(), "segment " + i);
    }
    assertFalse(room.keep());
    room.free(2);
    assertTrue(room.keep());
    assertTrue(room.keep());
    assertFalse(room.keep());
  }
}
