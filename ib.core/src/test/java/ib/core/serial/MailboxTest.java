package ib.core.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.Waits.Rank;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Step by step on one thread; the threads that offer and read at once are SerialStress's. */
@DisplayName("F22: one mailbox")
class MailboxTest {
  private static final int PORTION = 16; // items of one run

  /** Keeps what it heard; its queue is this test. */
  private static final class Box extends Mailbox<String> {
    final List<String> heard = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    Runnable hearing = () -> {};
    @Nullable ToIntFunction<String> weight;
    boolean silent;
    int queued;

    Box(int capacity) {
      super(serial -> ((Box) serial).queued++, capacity);
    }

    @Override
    protected void hear(String item) {
      heard.add(item);
      hearing.run();
    }

    @Override
    protected @Nullable String overflow(int count, String last) {
      hearing.run();
      return silent ? super.overflow(count, last) : count + " to " + last;
    }

    @Override
    protected int weight(String item) {
      return weight == null ? super.weight(item) : weight.applyAsInt(item);
    }

    @Override
    protected void failed(Throwable thrown) {
      failures.add(thrown);
    }
  }

  private final Box box = new Box(3);

  private void offer(String... items) {
    for (String item : items) {
      box.offer(item);
    }
  }

  private static void run(Box box, String... heard) {
    box.run();
    assertEquals(List.of(heard), box.heard);
    box.heard.clear();
  }

  @Test
  @DisplayName("F22: an offer wakes the reader up, which hears all items in order, each once")
  void inOrder() {
    assertFalse(box.hasItems());
    assertTrue(box.offer("a"));
    assertEquals(1, box.queued);
    assertTrue(box.offer("b"));
    assertTrue(box.hasItems());
    assertEquals(2, box.waiting());
    run(box, "a", "b");
    assertFalse(box.hasItems());
    assertEquals(0, box.waiting());
    assertEquals(1, box.queued, "no run without items");
    run(box);
  }

  @Test
  @DisplayName("F22: an item that is put waits for the next wake-up")
  void put() {
    assertTrue(box.put("a"));
    assertEquals(0, box.queued);
    box.schedule();
    run(box, "a");
  }

  @Test
  @DisplayName(
      "F22: an item for which there is no room is lost, and the loss is delivered after what waits")
  void overflow() {
    offer("a", "b");
    assertTrue(box.offer("c"), "room for three");
    assertFalse(box.offer("d"));
    assertFalse(box.offer("e"));
    assertEquals(3, box.waiting());
    run(box, "a", "b", "c", "2 to e");
    assertTrue(box.offer("f"));
    run(box, "f");
    assertFalse(box.hasItems());
  }

  @Test
  @DisplayName("F22: what follows a lost item is lost, too, until the loss was delivered")
  void lostInARow() {
    offer("a", "b", "c", "lost");
    box.hearing =
        () -> {
          box.hearing = () -> {};
          assertEquals(2, box.waiting());
          assertFalse(box.offer("d"), "there is room, but it would be heard before the loss");
        };
    run(box, "a", "b", "c", "2 to d");
  }

  @Test
  @DisplayName("F22: a loss that nothing stands for is not heard, and makes room")
  void silentLoss() {
    box.silent = true;
    offer("a", "b", "c", "lost");
    run(box, "a", "b", "c");
    assertEquals(List.of(), box.failures);
    assertFalse(box.hasItems());
    assertTrue(box.offer("d"));
  }

  @Test
  @DisplayName("F22: lost items count by their weight, at most Integer.MAX_VALUE")
  void weights() {
    Box one = new Box(1);
    one.weight = Integer::parseInt;
    List.of("1", "5", "3").forEach(one::offer);
    run(one, "1", "8 to 3");
    List.of("1", Integer.toString(Integer.MAX_VALUE - 1), "1").forEach(one::offer);
    run(one, "1", Integer.MAX_VALUE + " to 1");
    List.of("1", Integer.toString(Integer.MAX_VALUE), "2").forEach(one::offer);
    run(one, "1", Integer.MAX_VALUE + " to 2");
  }

  @Test
  @DisplayName("S23: a run is a bounded portion; what is left is another run")
  void portions() {
    Box large = new Box(100);
    for (int i = 0; i < PORTION + 1; i++) {
      large.offer("x");
    }
    large.run();
    assertEquals(PORTION, large.heard.size());
    assertEquals(2, large.queued);
    large.run();
    assertEquals(PORTION + 1, large.heard.size());
    assertEquals(2, large.queued);
  }

  @Test
  @DisplayName("F22: a loss alone is something to do: another run delivers it")
  void lossAlone() {
    Box full = new Box(PORTION);
    for (int i = 0; i < PORTION + 1; i++) {
      full.offer("x");
    }
    full.run();
    assertEquals(PORTION, full.heard.size());
    assertTrue(full.hasItems());
    assertEquals(2, full.queued);
    full.heard.clear();
    run(full, "1 to x");
    assertFalse(full.hasItems());
  }

  @Test
  @DisplayName("A13: hearing an item throws: that is reported, and the items that follow are heard")
  void throwing() {
    IllegalStateException planted = new IllegalStateException("planted");
    offer("a", "b");
    Waits.Target target = box.soFar("the box");
    box.hearing =
        () -> {
          box.hearing = () -> {};
          throw planted;
        };
    run(box, "a", "b");
    assertEquals(List.of(planted), box.failures);
    assertTrue(target.over());
  }

  @Test
  @DisplayName(
      "A13: making the item that stands for a loss throws: the loss has ended all the same")
  void throwingOverflow() {
    IllegalStateException planted = new IllegalStateException("planted");
    offer("a", "b", "c", "lost");
    Waits.Target target = box.soFar("the box");
    box.hearing =
        () -> {
          if (!box.hasItems()) {
            throw planted;
          }
        };
    run(box, "a", "b", "c");
    assertEquals(List.of(planted), box.failures);
    assertTrue(target.over());
  }

  @Test
  @DisplayName("CC-16: a mailbox that is discarded hears nothing more; it takes nothing")
  void discarded() {
    offer("a", "b", "c", "lost");
    box.discard();
    assertFalse(box.hasItems());
    assertEquals(0, box.waiting());
    assertFalse(box.offer("d"));
    assertFalse(box.hasItems());
    run(box);
  }

  @Test
  @DisplayName("CC-16: a mailbox that is discarded while it hears an item hears no other one")
  void discardedInside() {
    offer("a", "b");
    box.hearing = box::close;
    run(box, "a");
    assertTrue(box.hasItems());
  }

  @Test
  @DisplayName("I7: a mailbox that is opened again is empty; one that is open stays as it is")
  void reopened() {
    offer("a");
    assertFalse(box.reopen());
    run(box, "a");
    offer("b", "c", "d", "lost");
    box.close();
    assertTrue(box.reopen());
    assertFalse(box.hasItems());
    run(box);
    offer("e");
    Waits.Target target = box.soFar("the box");
    assertFalse(target.over());
    run(box, "e");
    assertTrue(target.over(), "what was dropped counts as heard");
  }

  @Test
  @DisplayName("CC-16: a drain is over when all that was offered before was heard, losses included")
  void soFar() {
    List<Boolean> over = new ArrayList<>();
    assertTrue(box.soFar("the box").over());
    offer("a", "b", "c", "lost", "lost");
    Waits.Target target = box.soFar("the box");
    assertEquals("the box", target.text());
    box.hearing = () -> over.add(target.over());
    run(box, "a", "b", "c", "2 to lost");
    assertEquals(List.of(false, false, false, false, false), over);
    assertTrue(target.over());
    offer("d");
    assertTrue(target.over(), "what comes later does not matter");
    Waits.Target another = box.soFar("the box");
    assertFalse(another.over());
    box.discard();
    assertTrue(another.over());
  }

  @Test
  @DisplayName("CC-16: a drain of a closed mailbox is over, though items wait in it")
  void closedWithItems() {
    offer("a");
    Waits.Target target = box.soFar("the box");
    box.close();
    assertTrue(target.over());
  }

  @Test
  @DisplayName("CC-17: a drain waits for the thread that hears, and ends as its wait ends")
  void drains() {
    List<Thread> holders = new ArrayList<>();
    offer("a");
    Waits.Target target = box.soFar("the box");
    target.holders(holders::add);
    assertEquals(List.of(), holders);
    box.hearing = () -> target.holders(holders::add);
    run(box, "a");
    assertEquals(List.of(Thread.currentThread()), holders);
    assertSame(End.DONE, box.drain(new BoundedWaits(), Rank.CLOSES, "the box", 0));
    offer("b");
    assertSame(End.TIMEOUT, box.drain(new BoundedWaits(), Rank.CLOSES, "the box", 0));
  }
}
