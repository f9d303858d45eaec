package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ib.core.verbs.PostStatus;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
    "F8: how a stream cuts what is written into messages, and when it looks for completions")
class TrafficTest {
  private static final int KIB = 1 << 10;
  private static final int ROOM = 1 << 20;

  /** A queue without a device: it notes what is sent, and the test says what completes. */
  private static final class Notes extends StreamQueue {
    final StreamOptions options;

    /** Length and place of each message, such as {@code 16384 at 0}. */
    final List<String> sent = new ArrayList<>();

    final Deque<Long> completed = new ArrayDeque<>();
    int polls;

    Notes(StreamOptions options) {
      super(options);
      this.options = options;
    }

    @Override
    Flow flow(StreamTerms peer) {
      byte[] list = new byte[StreamTerms.ENTRIES * Flow.ENTRY];
      MemorySegment memory = MemorySegment.ofArray(list);
      Flow flow = new Flow(memory, options.receiveBuffer(), options.receiveQueue(), peer);
      flow.granted(); // the peer knows the ring already
      return flow;
    }

    @Override
    Regions regions(StreamTerms peer) {
      return new Regions(MemorySegment.NULL, 0);
    }

    @Override
    int send(ByteBuffer from, int place, int n, Flow flow) {
      from.position(from.position() + n);
      sent.add(n + " at " + place);
      return PostStatus.OK;
    }

    @Override
    int receiveAgain() {
      return PostStatus.OK;
    }

    @Override
    int credit(Flow flow, StreamTerms peer) {
      sent.add("credits");
      return PostStatus.OK;
    }

    @Override
    int say(int immediate, StreamTerms peer) {
      return PostStatus.OK;
    }

    @Override
    int poll(WorkCompletion[] into) {
      polls++;
      int n = Math.min(into.length, completed.size());
      for (int i = 0; i < n; i++) {
        into[i].clear();
        into[i].wrId(completed.remove()).status(WcStatus.SUCCESS);
      }
      return n;
    }
  }

  private Notes notes = new Notes(DEFAULTS);
  private Traffic traffic = traffic(DEFAULTS, 384, ROOM);

  /** Begins again, with a peer that takes so many messages and bytes. */
  private Traffic traffic(StreamOptions options, int credits, int room) {
    notes = new Notes(options);
    StreamTerms peer = new StreamTerms(false, credits, 0x1000, 7, 0x2000, 7, room, 0);
    return new Traffic(options, notes, peer, () -> fail("the stream fails"));
  }

  /** Sends all that can be sent now; {@return the messages} */
  private List<String> write(int bytes) {
    ByteBuffer from = ByteBuffer.allocate(bytes);
    notes.sent.clear();
    while (from.hasRemaining() && traffic.send(from, from.remaining()) > 0) {}
    return List.copyOf(notes.sent);
  }

  private void complete(long... lengths) {
    for (long each : lengths) {
      notes.completed.add(each);
    }
    traffic.progress(false);
  }

  @Test
  @DisplayName("F8: at most 16 KiB when no message is under way, then 64 KiB, to the buffer's end")
  void pieces() {
    assertEquals(
        List.of("16384 at 0", "65536 at 16384", "49152 at 81920"), write(ROOM), "128 KiB, no more");
    complete(16 * KIB);
    assertEquals(List.of("16384 at 0"), write(ROOM), "what is free is before what is under way");
    complete(64 * KIB);
    assertEquals(List.of("65536 at 16384"), write(ROOM));
    complete(48 * KIB, 16 * KIB, 64 * KIB);
    assertEquals("16384 at 0", write(ROOM).getFirst(), "none is under way: a short one again");
  }

  @Test
  @DisplayName("RS-7: so many messages without credits are under way; credits wait for one of them")
  void controls() {
    for (int i = 0; i < StreamQueue.CONTROLS; i++) {
      assertTrue(traffic.shutdown(), "message " + i);
    }
    assertFalse(traffic.disconnect());
    for (int i = 0; i < DEFAULTS.receiveQueue() / 2; i++) {
      complete(StreamQueue.RECEIVE);
    }
    assertEquals(List.of(), notes.sent);
    complete(StreamQueue.CONTROL);
    assertEquals(List.of("credits"), notes.sent);
    assertFalse(traffic.disconnect());
    complete(StreamQueue.CONTROL);
    assertTrue(traffic.disconnect());
  }

  @Test
  @DisplayName(
      "F8: a message is not cut beyond that, and is not held back to be joined with others")
  void whole() {
    assertEquals(List.of("1 at 0"), write(1));
    assertEquals(List.of("65536 at 1"), write(64 * KIB), "one is under way: it goes as it is");
    assertEquals(List.of("3 at 65537"), write(3));
  }

  @Test
  @DisplayName(
      "F8: a message begins at the buffer's begin when none is under way, else behind the last")
  void places() {
    assertEquals(List.of("100 at 0"), write(100));
    complete(100);
    assertEquals(List.of("200 at 0"), write(200), "bytes that are in a near cache still");
    assertEquals(List.of("300 at 200"), write(300));
    complete(200);
    assertEquals(List.of("400 at 500"), write(400), "one is under way: behind it");
  }

  @Test
  @DisplayName("F8: a message does not go around the buffer's end: the rest is another one")
  void around() {
    assertEquals(List.of("16384 at 0", "65536 at 16384"), write(80 * KIB));
    complete(16 * KIB);
    assertEquals(List.of("49152 at 81920", "11264 at 0"), write(59 * KIB));
  }

  @Test
  @DisplayName("RS-5, F8: no message is longer than the peer's buffer, or more than its credits")
  void peer() {
    traffic = traffic(DEFAULTS, 2, 40_000);
    assertEquals(List.of("16384 at 0", "23616 at 16384"), write(ROOM), "40,000 bytes");
    traffic = traffic(DEFAULTS, 2, ROOM);
    assertEquals(List.of("16384 at 0", "65536 at 16384"), write(ROOM), "2 credits");
  }

  @Test
  @DisplayName("F8: one place of the send queue for each message")
  void slots() {
    traffic = traffic(DEFAULTS.queues(8, 8), 384, ROOM);
    for (int i = 0; i < 8; i++) {
      assertEquals(List.of("1 at " + i), write(1));
    }
    assertEquals(List.of(), write(1));
    complete(1);
    assertEquals(List.of("1 at 8"), write(1));
  }

  @Test
  @DisplayName(
      "F8: completions are handled before a message when something is scarce, not before each")
  void scarce() {
    traffic = traffic(DEFAULTS.queues(8, 8), 384, ROOM);
    for (int i = 0; i < 4; i++) {
      assertFalse(traffic.scarce(), i + " of 8 places are taken");
      write(1);
    }
    assertFalse(traffic.scarce(), "half of the places are taken");
    write(1);
    assertTrue(traffic.scarce(), "more than half");
    complete(1);
    assertFalse(traffic.scarce());
    traffic = traffic(DEFAULTS, 384, ROOM);
    write(16 * KIB - 1);
    assertFalse(traffic.scarce(), "less than 16 KiB are under way");
    write(1);
    assertTrue(traffic.scarce(), "16 KiB");
    traffic = traffic(DEFAULTS, 1, ROOM);
    assertFalse(traffic.scarce());
    write(1);
    assertTrue(traffic.scarce(), "no credit is left");
    assertEquals(0, notes.polls, "to write alone looks for none");
  }

  private int polls(int completions) {
    int before = notes.polls;
    for (int i = 0; i < completions; i++) {
      write(1);
      notes.completed.add(1L);
    }
    assertEquals(completions > 0, traffic.progress(false));
    assertEquals(List.of(), List.copyOf(notes.completed), "each is handled");
    return notes.polls - before;
  }

  @Test
  @DisplayName("F8: a call polls once, and again only after 16 completions: fewer are the last")
  void pollsOnce() {
    assertEquals(1, polls(0));
    assertEquals(1, polls(1));
    assertEquals(1, polls(15));
    assertEquals(2, polls(16));
    assertEquals(2, polls(31));
    assertEquals(3, polls(32));
  }
}
