package ib.engine.mr;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;

/** Small scenarios around the table of keys and queue pair numbers. */
public final class TableScenarios {
  private static final int SLOTS = 64;

  private TableScenarios() {}

  /** Numbers are their own objects here. */
  abstract static class Table implements Scenario {
    final IntTable<Integer> table = new IntTable<>();

    void mayFind(int key) {
      Integer found = table.find(key);
      if (found != null && found != key) {
        Interleavings.fail("one taken for another: " + found + " for " + key);
      }
    }

    void mustFind(int key) {
      mayFind(key);
      if (table.find(key) == null) {
        Interleavings.fail("lost: " + key);
      }
    }
  }

  /** Three numbers that share a slot come and go while two threads read. */
  public static final class Chain extends Table {
    @Override
    public void setUp() {
      table.put(1, 1);
      table.put(1 + SLOTS, 1 + SLOTS);
      Interleavings.spawn(
          "writer",
          false,
          () -> {
            table.remove(1);
            table.put(1 + 2 * SLOTS, 1 + 2 * SLOTS);
          });
      Interleavings.spawn("a", false, () -> mustFind(1 + SLOTS));
      Interleavings.spawn("b", false, () -> mayFind(1 + 2 * SLOTS));
    }

    @Override
    public void check() {
      mustFind(1 + SLOTS);
      mustFind(1 + 2 * SLOTS);
      if (table.find(1) != null || table.size() != 2) {
        throw new AssertionError("removed and still there");
      }
    }
  }

  /** The table grows while a thread reads; what is removed then is gone for good. */
  public static final class Growth extends Table {
    @Override
    public void setUp() {
      for (int i = 1; i <= 31; i++) {
        table.put(i, i);
      }
      Interleavings.spawn(
          "writer",
          false,
          () -> {
            table.put(32, 32);
            table.remove(2);
            if (table.find(2) != null) {
              Interleavings.fail("removed and still there");
            }
          });
      Interleavings.spawn(
          "reader",
          false,
          () -> {
            mustFind(1);
            mayFind(2);
            mustFind(31);
          });
    }

    @Override
    public void check() {
      mustFind(32);
      if (table.find(2) != null) {
        throw new AssertionError("removed and still there");
      }
    }
  }

  /** Canary: a slot is given to the next number as soon as it is free. */
  public static final class CanarySlotUsedAgain implements Scenario {
    private volatile int key = 1;
    private volatile Integer value = 1;

    @Override
    public void setUp() {
      Interleavings.spawn(
          "writer",
          false,
          () -> {
            value = null;
            key = 2;
            value = 2;
          });
      Interleavings.spawn(
          "reader",
          false,
          () -> {
            Integer v = value;
            if (key == 2 && v != null && v != 2) {
              Interleavings.fail("one taken for another");
            }
          });
    }

    @Override
    public void check() {}
  }
}
