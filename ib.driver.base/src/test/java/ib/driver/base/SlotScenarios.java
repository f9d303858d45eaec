package ib.driver.base;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverDevice;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.NodeType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/** A slot whose threads, requests and pauses meet in every order. */
public final class SlotScenarios {
  private SlotScenarios() {}

  /** Configurations that need another device each. */
  record Config(String name, long guid) implements DeviceConfig<Config> {
    @Override
    public boolean liveChangeOf(Config running) {
      return equals(running);
    }

    @Override
    public boolean sharesGuidWith(Config other) {
      return guid == other.guid;
    }
  }

  static final Config X = new Config("x", 1);
  static final Config Y = new Config("y", 2);

  /** Threads that belong to the schedule and do in turn what they are given, or sleep. */
  private static final class Crew {
    private final List<Queue<Runnable>> work = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private int given;

    Crew(String name, int count) {
      for (int i = 0; i < count; i++) {
        Queue<Runnable> mine = new ArrayDeque<>(); // one explored thread runs at a time
        work.add(mine);
        threads.add(Interleavings.sleeper(name + i, () -> serve(mine)));
      }
    }

    void give(Runnable task) {
      int next = given++ % work.size();
      work.get(next).add(task);
      LockSupport.unpark(threads.get(next));
    }

    private void serve(Queue<Runnable> mine) {
      while (true) {
        Runnable task = mine.poll();
        if (task == null) {
          LockSupport.park(this);
        } else {
          task.run();
        }
      }
    }
  }

  /** The driver of one slot; fails when two devices are up, or one whose name is not claimed. */
  abstract static class World
      implements Scenario, SlotObserver, Announcer<Config>, Plugged.Factory<Config> {
    final Slot<Config> slot = new Slot<>("p", "p", this, this, this);
    private final List<Thread> waiting = new ArrayList<>(); // asleep, so that no schedule spins
    private Crew workers;
    private Crew pauses;
    int refusals; // so many times the device cannot be built
    int built;
    int up;
    boolean ended;
    Config taken = new Config("of no slot", 0); // by another slot

    @Override
    public final void setUp() {
      workers = new Crew("worker", 2);
      pauses = new Crew("pause", 1);
      begin();
    }

    abstract void begin();

    @Override
    public void check() {
      if (slot.worker() != null || slot.plugged() != (up == 1)) {
        throw new AssertionError(slot.worker() + " works, " + up + " up, " + slot.plugged());
      }
    }

    void plug() {
      try {
        slot.plug();
      } catch (IbNoDeviceException e) {
        Interleavings.step(); // another thread has unplugged it
      }
    }

    private void look(Config config) {
      if (!slot.claims().contains(config)) {
        Interleavings.fail("F25: another slot may take the name " + config.name());
      }
    }

    @Override
    public Plugged<Config> plug(Config config) {
      look(config);
      if (config.equals(taken)) {
        Interleavings.fail("F25: another slot has taken the name " + config.name());
      }
      if (++up > 1) {
        Interleavings.fail("two devices of one slot");
      }
      if (ended) {
        Interleavings.fail("F35: plugged after the end");
      }
      if (refusals > 0) {
        refusals--;
        up--;
        throw new IbAgainException("port", "in use", "later");
      }
      built++;
      return new Device(this, config);
    }

    @Override
    public Runnable announce(Plugged<Config> device) {
      look(((Device) device).config);
      return () -> look(((Device) device).config);
    }

    @Override
    public Offer offer(DeviceSlot offered) {
      return new Offer() {
        @Override
        public void plugged(boolean in) {}

        @Override
        public void end() {}
      };
    }

    @Override
    public Optional<IbExistsException> conflict(String pid, Config config) {
      return Optional.empty();
    }

    @Override
    public void start(Slot<?> whose, Runnable work) {
      workers.give(work);
    }

    @Override
    public Runnable later(Slot<?> whose, int seconds, Runnable action) {
      pauses.give(action); // at any time, also after it was ended
      return () -> {};
    }

    @Override
    public Waits waits() {
      return (target, rank, limitNs) -> {
        waiting.add(Thread.currentThread());
        while (!target.over()) {
          LockSupport.park(this);
        }
        return End.DONE;
      };
    }

    @Override
    public void settled(Slot<?> whose) {
      for (Thread thread : List.copyOf(waiting)) {
        LockSupport.unpark(thread);
      }
    }

    @Override
    public long announced() {
      return 1;
    }

    @Override
    public void failed(String what, Throwable why) {
      if (!(why instanceof IbAgainException)) {
        Interleavings.fail(why.toString());
      }
    }
  }

  private static final class Device extends DriverDevice implements Plugged<Config> {
    private final World world;
    private final Config config;

    Device(World world, Config config) {
      super(new DeviceInfo(config.name(), 0, NodeType.CA, config.guid(), config.guid(), 1, "fake"));
      this.world = world;
      this.config = config;
    }

    @Override
    public DeviceOps ops() {
      throw new UnsupportedOperationException("a fake");
    }

    @Override
    public DriverDevice device() {
      return this;
    }

    @Override
    public void change(Config to) {}

    @Override
    public void unplug() {
      world.look(config);
      world.up--;
    }
  }

  /** Two threads wish the opposite; each waits until its wish was carried out. */
  public static final class Opposite extends World {
    @Override
    void begin() {
      Interleavings.spawn(
          "in",
          false,
          () -> {
            slot.configure(X);
            plug();
          });
      Interleavings.spawn("out", false, slot::unplug);
    }
  }

  /** The configuration changes while the worker works; another slot takes the name that is free. */
  public static final class Renamed extends World {
    private boolean renamed;

    @Override
    void begin() {
      Interleavings.spawn(
          "other",
          false,
          () -> {
            if (renamed && !slot.claims().contains(X)) {
              taken = X;
            }
          });
      Interleavings.spawn(
          "names",
          false,
          () -> {
            slot.configure(X);
            slot.configure(Y);
            renamed = true;
            slot.quiesce();
          });
    }

    @Override
    public void check() {
      super.check();
      if (up != 1 || !slot.name().equals("y") || !slot.claims().equals(List.of(Y, Y))) {
        throw new AssertionError(slot.name() + " runs, " + slot.claims() + " are claimed");
      }
    }
  }

  /** What cannot be built is tried again after each pause, until it is built. */
  public static final class Again extends World {
    @Override
    void begin() {
      refusals = 2;
      Interleavings.spawn("names", false, () -> slot.configure(X));
    }

    @Override
    public void check() {
      super.check();
      if (up != 1 || built != 1) {
        throw new AssertionError(up + " up, built " + built + " times");
      }
    }
  }

  /** The pause ends while the slot is closed for good: nothing is plugged afterwards. */
  public static final class Ends extends World {
    @Override
    void begin() {
      refusals = 1;
      Interleavings.spawn("names", false, () -> slot.configure(X));
      Interleavings.spawn(
          "ends",
          false,
          () -> {
            slot.close();
            slot.quiesce();
            slot.end();
            ended = true;
            plug();
          });
    }

    @Override
    public void check() {
      super.check();
      if (up != 0) {
        throw new AssertionError("F35: it is up after the end");
      }
    }
  }
}
