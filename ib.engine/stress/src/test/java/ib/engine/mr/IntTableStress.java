package ib.engine.mr;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The tables of keys and queue pairs: readers during put, remove and growth. */
public class IntTableStress {
  private static final int SLOTS = 64;

  /** Plain fields, which each thread that finds the object must see. */
  static final class Thing {
    int number;

    Thing(int number) {
      this.number = number;
    }
  }

  static int number(Thing t) {
    return t == null ? 0 : t.number;
  }

  /** A reader finds an added object whole, or not yet. */
  @JCStressTest
  @Outcome(
      id = {"0, 7", "7, 7"},
      expect = ACCEPTABLE,
      desc = "not yet, or whole")
  @Outcome(expect = FORBIDDEN, desc = "half an object, or lost")
  @State
  public static class PutAndFind {
    private final IntTable<Thing> table = new IntTable<>();

    @Actor
    public void writer() {
      table.put(7, new Thing(7));
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = number(table.find(7));
    }

    @Arbiter
    public void after(II_Result r) {
      r.r2 = number(table.find(7));
    }
  }

  /** The table is rebuilt while it is read: a reader finds each entry. */
  @JCStressTest
  @Outcome(id = "1, 40", expect = ACCEPTABLE, desc = "found throughout")
  @Outcome(expect = FORBIDDEN, desc = "lost")
  @State
  public static class FindWhileGrowing {
    private final IntTable<Thing> table = new IntTable<>();

    public FindWhileGrowing() {
      for (int i = 1; i <= 30; i++) {
        table.put(i, new Thing(i));
      }
    }

    @Actor
    public void writer() {
      table.put(39, new Thing(39));
      table.put(40, new Thing(40)); // makes the table grow
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = number(table.find(1));
    }

    @Arbiter
    public void after(II_Result r) {
      r.r2 = number(table.find(40));
    }
  }

  /** A neighbour that shares the slot is removed and another added: the chain stays whole. */
  @JCStressTest
  @Outcome(id = "65, 0", expect = ACCEPTABLE, desc = "found, the added one not yet")
  @Outcome(id = "65, 129", expect = ACCEPTABLE, desc = "found, the added one too")
  @Outcome(expect = FORBIDDEN, desc = "lost, or one taken for another")
  @State
  public static class ChainStaysWhole {
    private final IntTable<Thing> table = new IntTable<>();

    public ChainStaysWhole() {
      table.put(1, new Thing(1));
      table.put(1 + SLOTS, new Thing(1 + SLOTS));
    }

    @Actor
    public void writer() {
      table.remove(1);
      table.put(1 + 2 * SLOTS, new Thing(1 + 2 * SLOTS));
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = number(table.find(1 + SLOTS));
      r.r2 = number(table.find(1 + 2 * SLOTS));
    }
  }

  /** Canary: a slot gets another number while a reader uses it. */
  @JCStressTest
  @Outcome(
      id = {"0", "2"},
      expect = ACCEPTABLE,
      desc = "not yet, or the right one")
  @Outcome(expect = FORBIDDEN, desc = "one taken for another")
  @State
  public static class CanarySlotUsedAgain {
    private static final int OFTEN = 20;
    private final Thing one = new Thing(1);
    private final Thing two = new Thing(2);
    private volatile int key = 1;
    private volatile Thing value = one;

    private void give(int number, Thing thing) {
      value = null;
      key = number;
      value = thing;
    }

    @Actor
    public void writer() {
      for (int i = 0; i < OFTEN; i++) {
        give(2, two);
        give(1, one);
      }
      give(2, two);
    }

    @Actor
    public void reader(I_Result r) {
      for (int i = 0; i < OFTEN && r.r1 != 1; i++) {
        Thing v = value;
        if (key == 2 && v != null) {
          r.r1 = v.number;
        }
      }
    }
  }
}
