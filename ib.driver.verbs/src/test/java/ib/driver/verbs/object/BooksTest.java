package ib.driver.verbs.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.QpDiagnosis.Change;
import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 17, V4: what the driver keeps of requests that are outstanding")
final class BooksTest {
  private static final int SLOTS = 8;
  private static final int FLUSHED = WcStatus.WR_FLUSH_ERR.value();

  private final LastState state = new LastState();
  private final SendBook book = new SendBook(SLOTS, state, QpState.ERR);

  private final AtomicReference<@Nullable NativeAh> dead = new AtomicReference<>();

  private int post(long wrId, int shows) {
    return post(wrId, shows, null);
  }

  /** Posts a request by an address handle, which the request takes. */
  private int post(long wrId, int shows, @Nullable NativeAh ah) {
    SendRequest r = new SendRequest(1, 0);
    r.begin(wrId, null, 2, 0);
    r.ah = ah;
    r.shows = shows;
    int number = book.next();
    book.enter(r, 0);
    book.posted(1);
    return number;
  }

  private long take(int request) {
    WorkCompletion wc = new WorkCompletion();
    book.taken(request, wc);
    return wc.wrId();
  }

  @Test
  @DisplayName("a completion retires the silent requests before it, when it is taken")
  void retires() {
    post(1, SendBook.SILENT);
    post(2, SendBook.SILENT);
    int last = post(3, SendBook.ALWAYS);
    assertEquals(3, book.outstanding());
    assertEquals(SLOTS - 3, book.free());
    assertEquals(WorkQueue.Fate.VISIBLE, book.arrived(last, 0));
    assertEquals(0, book.outstanding());
    assertEquals(SLOTS - 3, book.free(), "outstanding until its completion was polled (10.8.5)");
    assertEquals(3, take(last));
    assertEquals(SLOTS, book.free());
  }

  @Test
  @DisplayName("a completion that the driver has asked for shows when the request fails only")
  void driversOwn() {
    int first = post(1, SendBook.UNLESS_FAILED);
    assertEquals(WorkQueue.Fate.HIDDEN, book.arrived(first, 0));
    assertEquals(SLOTS, book.free());
    int second = post(2, SendBook.UNLESS_FAILED);
    assertEquals(WorkQueue.Fate.VISIBLE, book.arrived(second, FLUSHED));
    assertEquals(QpState.ERR, state.now);
    assertEquals(2, take(second));
    int marker = post(3, SendBook.NEVER);
    assertEquals(WorkQueue.Fate.HIDDEN, book.arrived(marker, FLUSHED));
  }

  @Test
  @DisplayName("completions of a time before a reset are no one's")
  void afterReset() {
    int first = post(1, SendBook.ALWAYS);
    book.forget();
    assertEquals(WorkQueue.Fate.HIDDEN, book.arrived(first, FLUSHED));
    assertEquals(SLOTS, book.free());
    assertEquals(QpState.RESET, state.now);
  }

  @Test
  @DisplayName("what was taken back is free again, and its number is used again")
  void takenBack() {
    int number = post(1, SendBook.ALWAYS);
    book.posted(-1);
    assertEquals(number, book.next());
    assertEquals(SLOTS, book.free());
    assertEquals(0, book.outstanding());
  }

  @Test
  @DisplayName("DATA-458: a completion that arrives while its request is being posted counts")
  void early() {
    ReceiveBook receives = new ReceiveBook(SLOTS, state);
    int request = receives.enter(7, null);
    receives.posting();
    assertEquals(WorkQueue.Fate.VISIBLE, receives.arrived(request, 0));
    receives.refused(0);
    WorkCompletion wc = new WorkCompletion();
    receives.taken(request, wc);
    assertEquals(7, wc.wrId());
    assertEquals(SLOTS, receives.free());
  }

  @Test
  @DisplayName("receives of a shared queue come back in any order")
  void shared() {
    SharedBook shared = new SharedBook(3);
    int[] places = {shared.enter(1, null), shared.enter(2, null), shared.enter(3, null)};
    shared.posting();
    shared.refused(1);
    assertEquals(1, shared.free());
    WorkCompletion wc = new WorkCompletion();
    shared.taken(places[1], wc);
    assertEquals(2, wc.wrId());
    shared.taken(places[0], wc);
    assertEquals(1, wc.wrId());
    assertEquals(3, shared.free());
    Set<Integer> again = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      again.add(shared.enter(i, null));
    }
    assertEquals(Set.of(0, 1, 2), again);
  }

  @Test
  @DisplayName("V10: the number of an object that has gone finds nothing")
  void numbers() {
    Table<String> table = new Table<>();
    int[] numbers = new int[40];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = table.add("object " + i);
      assertTrue(numbers[i] > 0);
    }
    for (int i = 0; i < numbers.length; i++) {
      assertEquals("object " + i, table.find(numbers[i]));
    }
    table.remove(numbers[3]);
    assertNull(table.find(numbers[3]));
    for (int i = 0; i < 200; i++) {
      int number = table.add("again");
      assertFalse(number == numbers[3], "a number returns after many uses only");
      table.remove(numbers[3]);
      assertEquals("again", table.find(number));
      table.remove(number);
    }
    assertNull(table.find(0));
    assertNull(table.find(-1));
  }

  @Test
  @DisplayName("FLUSH-004: a closed queue keeps completions until they are taken, and nothing else")
  void closed() {
    int first = post(1, SendBook.ALWAYS);
    int second = post(2, SendBook.SILENT);
    int late = post(3, SendBook.ALWAYS);
    book.arrived(first, FLUSHED);
    book.arrived(second, FLUSHED);
    book.settle();
    assertTrue(book.hasLeft());
    assertEquals(WorkQueue.Fate.HIDDEN, book.arrived(late, FLUSHED), "it was dropped");
    assertEquals(1, take(first));
    assertTrue(book.hasLeft());
    assertEquals(2, take(second));
    assertFalse(book.hasLeft());
    ReceiveBook receives = new ReceiveBook(SLOTS, state);
    int received = receives.enter(7, null);
    receives.enter(8, null);
    receives.posting();
    receives.arrived(received, FLUSHED);
    receives.settle();
    assertTrue(receives.hasLeft());
    WorkCompletion wc = new WorkCompletion();
    receives.taken(received, wc);
    assertEquals(7, wc.wrId());
    assertFalse(receives.hasLeft());
  }

  /** {@return a handle that its consumer has closed, and that one request uses} */
  private NativeAh usedOnce() {
    NativeAh ah = new NativeAh(0x1000, dead);
    assertTrue(ah.acquire());
    ah.release();
    assertNull(dead.get());
    return ah;
  }

  @Test
  @DisplayName(
      "V10: the address handle of a request that never completes is given back: by a completion"
          + " behind it, by RESET, by the end of the queue pair")
  void handles() {
    NativeAh silent = usedOnce();
    post(1, SendBook.SILENT, silent);
    int last = post(2, SendBook.ALWAYS);
    book.arrived(last, 0);
    assertNull(dead.get(), "outstanding until the completion was polled");
    take(last);
    assertSame(silent, dead.getAndSet(null));

    NativeAh reset = usedOnce();
    post(3, SendBook.ALWAYS, reset);
    book.forget();
    assertSame(reset, dead.getAndSet(null));

    NativeAh kept = usedOnce();
    int arrived = post(4, SendBook.ALWAYS, kept);
    NativeAh lost = usedOnce();
    post(5, SendBook.ALWAYS, lost);
    book.arrived(arrived, FLUSHED);
    book.settle();
    assertSame(lost, dead.getAndSet(null), "its completion never comes");
    take(arrived);
    assertSame(kept, dead.getAndSet(null));
    assertFalse(kept.acquire());
  }

  @Test
  @DisplayName(
      "issue 17, point 3: ib:why has the first failure, which no flush hides, and what was moved;"
          + " RESET begins anew")
  void why() {
    state.moved(QpState.RTS);
    int first = post(1, SendBook.ALWAYS);
    int second = post(2, SendBook.ALWAYS);
    book.arrived(first, WcStatus.REM_ACCESS_ERR.value());
    book.arrived(second, FLUSHED);
    assertEquals(QpState.ERR, state.now);
    assertEquals(WcStatus.REM_ACCESS_ERR, state.failure());
    state.heard(EventType.QP_FATAL);
    assertEquals(
        List.of(
            "RTS: modify", "ERR: a request has failed: remote access error", "ERR: event QP_FATAL"),
        state.history().stream().map(BooksTest::text).toList());
    state.moved(QpState.RESET);
    assertNull(state.failure());
    for (int i = 0; i < 20; i++) {
      state.moved(QpState.INIT);
    }
    assertEquals(16, state.history().size());
  }

  private static String text(Change change) {
    return change.state() + ": " + change.cause();
  }
}
