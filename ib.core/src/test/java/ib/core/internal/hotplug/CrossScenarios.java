package ib.core.internal.hotplug;

import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Mailbox;
import ib.core.serial.Waits;
import ib.core.serial.Waits.Rank;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two threads, each inside something for whose end the other waits: one of the two waits is given
 * up, the other holds, and what was queued happens; without a watchdog. A change of configuration
 * waits for nothing, so that none is given up. Hot-plug, leases, serials, mailboxes and the graph
 * are the product's own; the worker of a slot is what the graph sees of it.
 */
public final class CrossScenarios {
  private static final int HELPERS = 6;

  private CrossScenarios() {}

  /** Where a thread is, and when the wait for its end is given up. */
  enum Kind {
    /** An event handler, which is unregistered. */
    HANDLER(Rank.THROWS),
    /** A callback of a queue, which is closed. */
    CALLBACK(Rank.CLOSES),
    /** A callback of a MAD agent or a session, whose queue is drained and closed. */
    AGENT(Rank.CLOSES),
    /** A callback that deletes the configuration of the other device; its queue is closed. */
    CONFIGURATION(Rank.CLOSES),
    /** {@code add}; the device is unregistered. */
    ADD(Rank.QUEUED),
    /** {@code remove}; the device is unregistered once more. */
    REMOVE(Rank.QUEUED),
    /** A lease; the device is unregistered. */
    LEASE(Rank.QUEUED),
    /** A lease; the service of the device goes. */
    SERVICE(Rank.SERVICE_GOES),
    /** The worker of a slot in {@code remove}; the slot is unplugged. */
    SLOT(Rank.QUEUED);

    final Rank rank;

    Kind(Rank rank) {
      this.rank = rank;
    }

    boolean goes() {
      return switch (this) {
        case HANDLER, CALLBACK, AGENT, CONFIGURATION -> false;
        case ADD, REMOVE, LEASE, SERVICE, SLOT -> true;
      };
    }
  }

  /** A callback: the product's mailbox, at a place where its own thread takes it. */
  private static final class Callback extends Mailbox<Runnable> {
    Callback() {
      super(serial -> {}, 4);
    }

    @Override
    protected void hear(Runnable item) {
      item.run();
    }

    void run(Runnable body) {
      offer(body);
      arrived();
    }
  }

  /** The worker of a slot, as a target of the graph. */
  private static final class Run implements Waits.Target {
    private volatile boolean over;
    private volatile @Nullable Thread runner;

    void run(Runnable body) {
      runner = Thread.currentThread();
      try {
        body.run();
      } finally {
        runner = null;
        over = true;
      }
    }

    @Override
    public boolean over() {
      return over;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = runner;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "a run";
    }
  }

  /** One pair. */
  public static final class Pair implements Scenario, Observer {
    private final Kind[] kinds;
    private final Stand[] stands = new Stand[2];
    private final Set<Thread> recorded = new HashSet<>(); // one thread at a time runs
    private String wrong = "";
    private int inside;
    private @Nullable Hotplug hotplug;
    private @Nullable WaitGraph graph;

    /**
     * A pair.
     *
     * @param one the first thread's kind
     * @param two the second one's
     */
    public Pair(String one, String two) {
      kinds = new Kind[] {Kind.valueOf(one), Kind.valueOf(two)};
    }

    @Override
    public void setUp() {
      Sync sync = new ExploredSync(HELPERS);
      hotplug = new Hotplug(sync, () -> 0, Limits.DEFAULT, new Rules(), this);
      graph = hotplug.book.graph;
      for (int i = 0; i < 2; i++) {
        stands[i] = new Stand(kinds[i], i, sync);
      }
      for (int i = 0; i < 2; i++) {
        Stand mine = stands[i];
        mine.other = stands[1 - i];
        Interleavings.spawn("t" + i, false, mine::play);
      }
    }

    @Override
    public void check() {
      List<Boolean> held = List.of(stands[0].held, stands[1].held);
      expect(wrong.isEmpty(), wrong);
      expect(graph.waits().isEmpty(), "waits are left: " + graph.waits());
      if (List.of(kinds).contains(Kind.CONFIGURATION)) {
        expect(!held.contains(false) && recorded.isEmpty(), "one gave way: " + held + recorded);
      } else {
        expect(held.contains(true) && held.contains(false), "not one of two gave way: " + held);
        int ranks = kinds[1].rank.compareTo(kinds[0].rank); // the first waits for the second's end
        expect(ranks == 0 || held.get(0) == ranks > 0, "the wrong one gave way: " + held);
      }
      for (Stand s : stands) {
        boolean gone = s.device.state == DeviceEntry.State.GONE;
        boolean deleted = s.other.kind == Kind.CONFIGURATION;
        expect(gone == (deleted || s.kind.goes()), s.device + " is " + s.device.state);
      }
    }

    private void expect(boolean ok, String text) {
      if (!ok) {
        throw new AssertionError(text);
      }
    }

    @Override
    public void violation(Violation violation) {
      recorded.add(Thread.currentThread());
    }

    @Override
    public void leak(LeakRecord leak) {
      wrong = "leak " + leak;
    }

    @Override
    public void failed(String where, Throwable error) {
      wrong = where + ": " + error;
    }

    @Override
    public void stuck(Stuck stuck) {
      wrong = "stuck: " + stuck;
    }

    @Override
    public void note(String text) {
      wrong = text;
    }

    /** One thread and the place where it is. */
    private final class Stand implements IbClient {
      private final Kind kind;
      private final Run run = new Run();
      private final Callback callback = new Callback();
      private final String name;
      private final DeviceEntry device;
      private @Nullable Stand other;
      private boolean acted;
      private boolean left;
      private boolean held;

      Stand(Kind kind, int number, Sync sync) {
        this.kind = kind;
        this.name = "d" + number;
        FakeHooks fake = new FakeHooks(sync, name, number + 1);
        device = hotplug.announce(fake, fake.info, "driver", null);
        if (kind != Kind.ADD) {
          hotplug.bringUp(device);
        }
        hotplug.attach(hotplug.announce(this, name(), List.of(), null));
      }

      void play() {
        switch (kind) {
          case HANDLER, CALLBACK, AGENT -> callback.run(this::act);
          case CONFIGURATION -> {
            callback.run(this::act);
            // the worker of the other slot; it has its turn when the callback has returned
            hotplug.unregister(other.device, Form.RECORD);
          }
          case ADD -> hotplug.bringUp(device);
          case REMOVE -> hotplug.unregister(device, Form.THROW);
          case LEASE, SERVICE -> {
            DeviceLease lease = hotplug.lease(name, name);
            act();
            lease.close();
          }
          case SLOT -> run.run(() -> hotplug.unregister(device, Form.RECORD));
        }
      }

      /** Inside: when the other one is, too, waits for its end. */
      private void act() {
        if (acted) {
          return;
        }
        acted = true;
        inside++;
        while (inside < 2) {
          Interleavings.spin();
        }
        if (kind == Kind.CONFIGURATION) {
          held = true;
          left = true;
          return;
        }
        try {
          held = other.end();
          if (held && !other.left) {
            wrong = name + " did not wait to the end";
          }
        } catch (IbDeadlockException e) {
          held = false;
        }
        left = true;
      }

      /** Waits for the end of what this one is in; {@return whether it ended} */
      private boolean end() {
        switch (kind) {
          case HANDLER, CALLBACK, CONFIGURATION -> {
            callback.close();
            return callback.fence(graph, kind.rank, name, Long.MAX_VALUE).done();
          }
          case AGENT -> {
            return callback.drain(graph, kind.rank, name, Long.MAX_VALUE).done();
          }
          case SLOT -> {
            return graph.await(run, kind.rank, Long.MAX_VALUE).done();
          }
          case ADD, REMOVE, LEASE -> hotplug.unregister(device, Form.THROW);
          case SERVICE -> hotplug.unregister(device, Form.RECORD);
        }
        return !recorded.contains(Thread.currentThread());
      }

      @Override
      public String name() {
        return "client of " + name;
      }

      @Override
      public boolean supports(DeviceInfo info) {
        return info.name().equals(name);
      }

      @Override
      public @Nullable Object add(IbDevice handle) {
        if (kind == Kind.ADD) {
          act();
        }
        return null;
      }

      @Override
      public void remove(IbDevice handle, @Nullable Object data) {
        if (kind == Kind.REMOVE || kind == Kind.SLOT) {
          act();
        }
      }
    }
  }
}
