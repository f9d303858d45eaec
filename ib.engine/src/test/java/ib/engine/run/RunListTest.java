package ib.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D4: what a thread does with the queue pairs that it has claimed, one step at a time. */
class RunListTest {
  private static final int BUDGET = 10_000;

  private final List<String> log = new ArrayList<>();
  private final RunList list = new RunList(BUDGET);
  private final Worker worker = new Worker(new VirtualClock(), new Quiet(), BUDGET);
  private final Pair root = new Pair("root");
  private final Pair other = new Pair("other");

  /** Nothing to look at. */
  static final class Quiet extends LookRound {
    @Override
    protected void look(long now) {}

    @Override
    protected long restNs() {
      return Long.MAX_VALUE;
    }
  }

  /** A queue pair that notes what is done with it. */
  private final class Pair extends Claimed {
    private final String name;
    private boolean direct;
    private int steps = 1; // that have something left after them, and the last
    private int unwatched; // so many times something is left when it looks
    private Runnable inStep = () -> {};

    Pair(String name) {
      this.name = name;
    }

    @Override
    protected boolean direct(RunList run) {
      log.add("direct " + name);
      return direct;
    }

    @Override
    protected boolean step(RunList run) {
      assertTrue(claimed(), "only who has claimed it runs it");
      assertSame(run, owner);
      log.add(name);
      inStep.run();
      return --steps > 0;
    }

    @Override
    protected boolean watch() {
      return unwatched-- <= 0;
    }

    @Override
    protected void crashed(Throwable why) {
      log.add(name + " " + why.getMessage());
    }

    @Override
    protected Worker worker() {
      return worker;
    }
  }

  private void run() {
    assertTrue(root.schedule());
    list.run(root);
  }

  private void done(String... what) {
    assertEquals(List.of(what), log);
    for (Pair p : List.of(root, other)) {
      assertFalse(p.claimed(), p.name + " is free");
      assertFalse(p.listed);
    }
    log.clear();
  }

  @Test
  @DisplayName("D4: done at the peer: nothing else is run; else steps until nothing is left")
  void steps() {
    root.direct = true;
    run();
    done("direct root");
    root.direct = false;
    root.steps = 3;
    run();
    done("direct root", "root", "root", "root");
  }

  @Test
  @DisplayName("D4: who is scheduled in a step is run after it, once, and released")
  void besides() {
    root.inStep =
        () -> {
          root.inStep = () -> {};
          list.schedule(other);
          list.schedule(other);
          list.schedule(root);
        };
    run();
    done("direct root", "root", "other", "root");
  }

  @Test
  @DisplayName("D4: what is scheduled while its peer was done at is not left lying")
  void scheduledAlthoughDone() {
    root.direct = true;
    assertTrue(root.schedule());
    list.begin(root);
    list.schedule(other);
    list.end(root, true);
    done("other", "root");
  }

  @Test
  @DisplayName("D4: work for a queue pair that another thread holds is left to that thread")
  void heldElsewhere() {
    assertTrue(other.schedule()); // by another thread
    root.inStep = () -> list.schedule(other);
    run();
    assertEquals(List.of("direct root", "root"), log);
    assertFalse(other.release(), "it is to run it once more");
    assertTrue(other.release());
  }

  @Test
  @DisplayName("D4: a mark that comes during a run has it run again before it is released")
  void marked() {
    Runnable post = () -> assertFalse(root.schedule(), "it is held");
    root.inStep = post;
    assertTrue(root.schedule());
    list.begin(root);
    root.inStep =
        () -> {
          post.run();
          root.inStep = () -> {};
        };
    list.end(root, false);
    done("root", "root");
    root.direct = true;
    assertTrue(root.schedule());
    list.begin(root);
    post.run();
    list.end(root, true);
    done("root");
  }

  @Test
  @DisplayName("D4: a queue pair that may not be released yet is run again")
  void unwatched() {
    root.unwatched = 1;
    other.unwatched = 2;
    root.inStep =
        () -> {
          root.inStep = () -> {};
          list.schedule(other);
        };
    run();
    done("direct root", "root", "other", "other", "other", "root");
  }

  @Test
  @DisplayName("D4: when the budget is used up the rest goes to the worker, still claimed, once")
  void budget() {
    root.steps = 2;
    other.steps = 2;
    root.inStep =
        () -> {
          root.inStep = () -> {};
          list.schedule(other);
          assertFalse(list.exhausted());
          list.spend(BUDGET - 256);
          assertFalse(list.exhausted(), "all of it");
          list.spend(0);
          assertTrue(list.exhausted());
        };
    run();
    assertEquals(List.of("direct root", "root"), log);
    assertTrue(root.claimed() && other.claimed());
    assertNull(root.owner);
    assertNull(other.owner);
    log.clear();
    assertEquals(2, worker.step());
    done("other", "root", "other");
    assertEquals(0, worker.step());
    run();
    done("direct root", "root");
  }

  @Test
  @DisplayName("D4: with the budget used up, who has nothing left is released, not handed over")
  void budgetUsedUpAtTheEnd() {
    root.inStep = () -> list.spend(BUDGET);
    run();
    done("direct root", "root");
    root.inStep = () -> list.schedule(other);
    other.inStep = () -> list.spend(BUDGET);
    other.steps = 1;
    run();
    done("direct root", "root", "other");
    other.steps = 1;
    other.unwatched = 1;
    run();
    assertEquals(List.of("direct root", "root", "other"), log);
    assertTrue(other.claimed(), "it may not be released yet");
    log.clear();
    worker.step();
    done("other");
  }

  @Test
  @DisplayName("D4: a root that may not be released when the budget is used up goes to the worker")
  void rootHandedOver() {
    root.unwatched = 1;
    root.inStep = () -> list.spend(BUDGET);
    run();
    assertEquals(List.of("direct root", "root"), log);
    assertTrue(root.claimed());
    log.clear();
    worker.step();
    done("root");
  }

  @Test
  @DisplayName(
      "RunContext.gather: packets that a wire has lost in a flush are an incident of the root")
  void flushFails() {
    root.inStep = () -> list.gather(RunListTest::fail);
    run();
    done("direct root", "root", "root planted");
    root.inStep = () -> {};
    other.inStep = () -> list.gather(RunListTest::fail);
    list.schedule(other);
    assertThrows(IllegalStateException.class, list::finish, "of a thread without a root");
    root.direct = true;
    assertTrue(root.schedule());
    list.begin(root);
    list.gather(RunListTest::fail);
    list.end(root, true);
    assertTrue(log.contains("root planted"), "gathered outside the steps");
  }

  private static void fail() {
    throw new IllegalStateException("planted");
  }

  @Test
  @DisplayName(
      "E18: at the end of a batch a queue pair may wait with an acknowledgement, 16 at most")
  void defers() {
    RunList batches = RunList.ofBatches(BUDGET);
    assertFalse(list.defers(root), "a poster has no batches");
    assertFalse(batches.defers(root), "not in a batch");
    boolean[] may = new boolean[4];
    Pair[] pairs = new Pair[17];
    root.inStep =
        () -> {
          for (int i = 0; i < 16; i++) {
            pairs[i] = new Pair("p" + i);
            may[0] |= !batches.defers(pairs[i]);
          }
          may[1] = batches.defers(new Pair("one too many"));
          may[2] = batches.defers(pairs[15]); // asked before
        };
    batches.schedule(root);
    batches.finishBatch();
    assertFalse(may[0] || may[1]);
    assertTrue(may[2]);
    assertFalse(batches.defers(pairs[3]), "the batch is over");
    log.clear();
    assertTrue(batches.catchUp());
    assertFalse(batches.catchUp(), "once");
    batches.finish();
    assertEquals(16, log.size());
    assertEquals("p0", log.get(0));
  }

  @Test
  @DisplayName("a batch is over also when its end has thrown")
  void batchThrows() {
    RunList batches = RunList.ofBatches(BUDGET);
    root.inStep = () -> batches.gather(RunListTest::fail);
    batches.schedule(root);
    assertThrows(IllegalStateException.class, batches::finishBatch);
    assertFalse(batches.defers(other));
  }

  @Test
  @DisplayName(
      "a run knows its thread, and each queue pair who holds it; each run has its own budget")
  void threads() {
    long me = Thread.currentThread().threadId();
    root.inStep = () -> list.schedule(other);
    run();
    assertEquals(me, list.thread());
    assertEquals(me, root.holder());
    assertEquals(me, other.holder());
    RunList received = new RunList(BUDGET);
    received.spend(BUDGET);
    assertTrue(received.exhausted());
    received.finish();
    assertFalse(received.exhausted());
    assertEquals(me, received.thread());
    list.spend(BUDGET);
    run();
    assertFalse(list.exhausted());
    other.heldBy(0);
    other.direct = true;
    assertTrue(other.schedule());
    list.run(other);
    assertEquals(me, other.holder(), "also where nothing else was to do");
  }

  @Test
  @DisplayName("D4: a budget that is just used up hands nothing over")
  void justEnough() {
    root.steps = 2;
    root.inStep =
        () -> {
          root.inStep = () -> {};
          list.spend(BUDGET - 256);
        };
    run();
    done("direct root", "root", "root");
  }

  @Test
  @DisplayName("RunContext.gather: what was gathered is sent before the rest is handed over")
  void flushedBeforeHandOver() {
    root.steps = 2;
    root.inStep =
        () -> {
          root.inStep = () -> {};
          list.spend(BUDGET);
          list.gather(() -> log.add(list.equals(root.owner) ? "sent by us" : "too late"));
        };
    run();
    assertEquals(List.of("direct root", "root", "sent by us"), log);
    log.clear();
    worker.step();
    done("root");
  }

  @Test
  @DisplayName("IBA 11.4.1.2: a run has one buffer for the 40 bytes in front of a datagram")
  void header() {
    byte[] header = list.header();
    assertEquals(40, header.length);
    assertSame(header, list.header());
    assertSame(header, list.headerSegment().heapBase().orElseThrow());
    assertSame(list.headerSegment(), list.headerSegment());
  }
}
