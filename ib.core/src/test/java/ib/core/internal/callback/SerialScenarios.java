package ib.core.internal.callback;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Scenarios of what {@link Serial} and {@link Mailbox} add: opening again, throwing, losses. */
public final class SerialScenarios {
  private SerialScenarios() {}

  /** Hears numbers; fails when two are heard at once, or after a fence. */
  static class Numbers extends Mailbox<Integer> {
    final List<Integer> heard = new ArrayList<>();
    boolean inside;
    boolean fenced;
    int lost;

    Numbers(CompletionVector vector, int capacity) {
      super(vector, capacity);
    }

    @Override
    protected void hear(Integer number) {
      if (inside) {
        Interleavings.fail("S24: two at once");
      }
      if (fenced) {
        Interleavings.fail("B8: " + number + " is heard after the fence");
      }
      inside = true;
      Interleavings.step();
      heard.add(number);
      inside = false;
    }

    /** The lost numbers are heard as the last of them, negative. */
    @Override
    protected Integer overflow(int count, Integer last) {
      lost += count;
      return -last;
    }

    /** Each number is heard, or stands before an overflow that counts it. */
    void check(int offered) {
      int before = 0;
      int told = 0;
      for (int n : heard) {
        if (Math.abs(n) <= before) {
          throw new AssertionError("out of order: " + heard);
        }
        before = Math.abs(n);
        told += n > 0 ? 1 : 0;
      }
      if (told + lost != offered || before != offered) {
        throw new AssertionError("heard " + heard + " and lost " + lost + " of " + offered);
      }
    }
  }

  /** A mailbox is closed, fenced and opened again while its items are heard. */
  public static final class Reopened implements Scenario {
    private final CompletionVector vector = TaskScenarios.vector();
    private final Numbers box = new Numbers(vector, 4);
    private final WaitGraph graph = new WaitGraph();

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("offers", false, () -> box.offer(1));
      Interleavings.spawn(
          "closes",
          false,
          () -> {
            box.discard();
            End end = box.fence(graph, Waits.Rank.CLOSES, "the box", Long.MAX_VALUE);
            if (!end.done() || box.inside) {
              throw new AssertionError("B8: a run is on after the fence: " + end);
            }
            box.fenced = true;
            Interleavings.step();
            box.fenced = false;
            box.reopen();
            box.offer(2);
          });
    }

    @Override
    public void check() {
      List<Integer> heard = box.heard;
      boolean twice = heard.indexOf(1) != heard.lastIndexOf(1);
      if (twice || heard.stream().filter(n -> n == 2).count() != 1) {
        throw new AssertionError("offered 1 and, after it was opened again, 2: heard " + heard);
      }
    }
  }

  /** Every run throws. */
  public static final class Throws implements Scenario {
    private final CompletionVector vector = TaskScenarios.vector();
    private final TaskScenarios.Probe probe =
        new TaskScenarios.Probe(vector) {
          @Override
          protected void call() {
            super.call();
            throw new IllegalStateException("planted");
          }

          @Override
          protected void failed(Throwable thrown) {
            failures++;
          }
        };

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("a", false, probe::ask);
      Interleavings.spawn("b", false, probe::ask);
    }

    @Override
    public void check() {
      if (probe.seen != 2 || probe.failures != probe.runs) {
        throw new AssertionError(
            "saw " + probe.seen + " of 2; " + probe.failures + " of " + probe.runs + " failed");
      }
    }
  }

  /** The place refuses the serial once; the next wake-up tries again. */
  public static final class Refused implements Scenario {
    private final List<Serial> place = new ArrayList<>();
    private final Asker asker = new Asker();

    private final class Asker extends Serial {
      private boolean refused;
      private int asked;
      private int seen;

      Asker() {
        super(
            serial -> {
              Asker me = (Asker) serial;
              if (!me.refused) {
                me.refused = true;
                throw new OutOfMemoryError("planted");
              }
              place.add(me);
            });
      }

      @Override
      protected void call() {
        seen = asked;
      }

      @Override
      protected void failed(Throwable thrown) {}
    }

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, this::ask);
      Interleavings.spawn("b", false, this::ask);
    }

    private void ask() {
      asker.asked++;
      asker.schedule();
    }

    @Override
    public void check() {
      ask(); // the next wake-up
      if (place.size() != 1) {
        throw new AssertionError("it stands " + place.size() + " times in its place");
      }
      place.getFirst().run();
      if (asker.seen != 3) {
        throw new AssertionError("a wake-up was lost: saw " + asker.seen + " of 3");
      }
    }
  }

  /** One thread offers more than there is room for while the reader reads. */
  public static final class Overflow implements Scenario {
    private static final int OFFERED = 4;
    private final CompletionVector vector = TaskScenarios.vector();
    private final Numbers box = new Numbers(vector, 1);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "offers",
          false,
          () -> {
            for (int i = 1; i <= OFFERED; i++) {
              box.offer(i);
            }
          });
    }

    @Override
    public void check() {
      box.check(OFFERED);
    }
  }

  /** More items than a run hears. */
  public static final class Portions implements Scenario {
    private static final int OFFERED = 17;
    private final CompletionVector vector = TaskScenarios.vector();
    private final Numbers box = new Numbers(vector, OFFERED);

    @Override
    public void setUp() {
      for (int i = 1; i <= OFFERED; i++) {
        box.offer(i);
      }
      vector.start();
    }

    @Override
    public void check() {
      box.check(OFFERED);
    }
  }

  /** A drain waits for what was offered before it. */
  public static final class Drain implements Scenario {
    private final CompletionVector vector = TaskScenarios.vector();
    private final Numbers box = new Numbers(vector, 4);
    private final WaitGraph graph = new WaitGraph();

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "drains",
          false,
          () -> {
            box.offer(1);
            box.offer(2);
            End end = box.drain(graph, Waits.Rank.CLOSES, "the box", Long.MAX_VALUE);
            if (!end.done() || box.heard.size() != 2) {
              throw new AssertionError("drained after " + box.heard + ": " + end);
            }
          });
    }

    @Override
    public void check() {}
  }

  /** Two threads offer; one of them drains: its own item is handled then, or counted as lost. */
  abstract static class DrainBeside implements Scenario {
    private static final int OTHERS = 1;
    private static final int MINE = 2;
    private final CompletionVector vector = TaskScenarios.vector();
    private final WaitGraph graph = new WaitGraph();
    private final Numbers box;

    DrainBeside(int capacity) {
      box = new Numbers(vector, capacity);
    }

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("offers", false, () -> box.offer(OTHERS));
      Interleavings.spawn(
          "drains",
          false,
          () -> {
            boolean taken = box.offer(MINE);
            End end = box.drain(graph, Waits.Rank.CLOSES, "the box", Long.MAX_VALUE);
            boolean handled = taken ? box.heard.contains(MINE) : box.lost > 0;
            if (!end.done() || !handled) {
              Interleavings.fail("CC-16: drained too early, after " + box.heard + ": " + end);
            }
          });
    }

    @Override
    public void check() {}
  }

  /** There is room for the items of both threads. */
  public static final class DrainBesideItems extends DrainBeside {
    /** Makes the scenario. */
    public DrainBesideItems() {
      super(4);
    }
  }

  /** There is room for one item: the other one may be lost. */
  public static final class DrainBesideLoss extends DrainBeside {
    /** Makes the scenario. */
    public DrainBesideLoss() {
      super(1);
    }
  }
}
