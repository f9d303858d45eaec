package ib.engine.cq;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.port.HcaCore;
import ib.engine.qp.HcaConfig;
import ib.engine.run.Turns;
import ib.engine.run.Worker;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Small scenarios around completion queues. */
public final class CqScenarios {
  private CqScenarios() {}

  /** A queue of which a consumer, armed when it sleeps, must hear every completion (B7). */
  abstract static class Consumer implements Scenario, CompletionNotifier {
    private final HcaCore hca = hca();
    final Worker worker = hca.worker();
    final SoftCq cq = new SoftCq(nobody(), new CqInit(2), hca);
    private final WorkCompletion[] one = {new WorkCompletion()};
    private volatile boolean notified;
    private Thread consumer;
    private int pushed; // sum of the ids
    int seen;

    private static ObjectControl nobody() {
      return (ObjectControl)
          Proxy.newProxyInstance(
              CqScenarios.class.getClassLoader(),
              new Class<?>[] {ObjectControl.class},
              (proxy, method, args) -> method.getReturnType() == long.class ? 0L : null);
    }

    private static HcaCore hca() {
      Wire nowhere =
          new Wire() {
            @Override
            public void transmit(Packet packet, RunContext run) {}

            @Override
            public boolean segments() {
              return false;
            }
          };
      return new HcaCore(
          HcaConfig.of(1, 2),
          List.of(nowhere),
          new NanoClock() {
            private long now;

            @Override
            public long nanoTime() {
              return now += 1_000_000; // time passes with each reading
            }
          },
          RandomGenerator.getDefault(),
          (type, port) -> {});
    }

    @Override
    public void setUp() {
      cq.connect(this);
      Turns.start(worker, Interleavings.spawn("worker", true, () -> Turns.endlessly(worker)));
      consumer = Interleavings.spawn("consumer", true, this::consume);
    }

    void push() {
      pushed++;
      push(1, false);
    }

    void push(long id, boolean solicited) {
      cq.push(
          null, id, WcStatus.SUCCESS, WcOpcode.SEND, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, solicited);
    }

    int awaited() {
      return NotifyFlags.NEXT_COMP;
    }

    private void consume() {
      for (; ; ) {
        do {
          while (cq.poll(one, 1) > 0) {
            seen += (int) one[0].wrId();
          }
        } while (cq.requestNotify(awaited() | NotifyFlags.REPORT_MISSED_EVENTS) > 0);
        while (!notified) {
          LockSupport.park(this);
        }
        notified = false;
      }
    }

    @Override
    public void notifyCompletion(CompletionQueue queue) {
      notified = true;
      LockSupport.unpark(consumer);
    }

    @Override
    public int processDirect(CompletionQueue queue, int budget) {
      return 0;
    }

    @Override
    public void check() {
      if (seen != pushed) {
        throw new AssertionError("B7: heard of " + seen + " of " + pushed);
      }
    }
  }

  /** A queue pair that notes what was freed. */
  private static final class User extends IdleMember {
    private long freed;

    User(SoftCq cq) {
      super(cq, cq);
    }

    void push(long end) {
      sendCq.push(
          null,
          1,
          WcStatus.SUCCESS,
          WcOpcode.SEND,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          sendPlace(),
          end,
          null,
          false);
    }

    @Override
    protected void polled(boolean receive, long end) {
      freed = Math.max(freed, end);
    }
  }

  /** A queue pair goes and another one gets its place, while a completion of it is polled late. */
  public static final class LatePoll implements Scenario {
    private final SoftCq cq = new SoftCq(Consumer.nobody(), new CqInit(2), Consumer.hca());
    private final User gone = new User(cq);
    private final User next = new User(cq);

    @Override
    public void setUp() {
      cq.attach(gone);
      gone.push(7);
      Interleavings.spawn(
          "control",
          false,
          () -> {
            cq.detach(gone);
            cq.attach(next);
            next.push(3);
          });
      Interleavings.spawn("poller", false, this::poll);
      Interleavings.spawn("poller too", false, this::poll);
    }

    private void poll() {
      cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
    }

    @Override
    public void check() {
      poll();
      poll();
      if ((int) gone.sendPlace() != (int) next.sendPlace()) {
        throw new AssertionError("another place: this scenario shows nothing");
      }
      if (next.freed != 3) {
        throw new AssertionError("S48: freed up to " + next.freed + " instead of 3");
      }
    }
  }

  /** Two producers. */
  public static final class Notify extends Consumer {
    @Override
    public void setUp() {
      super.setUp();
      Interleavings.spawn("a", false, this::push);
      Interleavings.spawn("b", false, this::push);
    }
  }

  /** The consumer waits for a solicited completion, before which another one is published late. */
  public static final class Solicited extends Consumer {
    private static final int ORDINARY = 1;
    private static final int SOLICITED = 2;

    @Override
    int awaited() {
      return NotifyFlags.SOLICITED;
    }

    @Override
    public void setUp() {
      super.setUp();
      Interleavings.spawn("ordinary", false, () -> push(ORDINARY, false));
      Interleavings.spawn("solicited", false, () -> push(SOLICITED, true));
    }

    @Override
    public void check() {
      if ((seen & SOLICITED) == 0) {
        throw new AssertionError("B7: not heard of the solicited completion");
      }
    }
  }

  /** A producer, and the queue is resized meanwhile. */
  public static final class Resize extends Consumer {
    @Override
    public void setUp() {
      super.setUp();
      Interleavings.spawn("producer", false, this::push);
      Interleavings.spawn("control", false, () -> cq.doResize(4));
    }
  }

  /** At most one completion waits at any time; so a resize to one entry is never refused. */
  public static final class Fitting implements Scenario {
    private final SoftCq cq = new SoftCq(Consumer.nobody(), new CqInit(2), Consumer.hca());
    private final User user = new User(cq);
    private final WorkCompletion[] one = {new WorkCompletion()};
    private int polled;

    @Override
    public void setUp() {
      cq.attach(user);
      Interleavings.spawn(
          "producer and poller",
          false,
          () -> {
            for (int i = 0; i < 3; i++) {
              user.push(0);
              polled += cq.poll(one, 1);
            }
          });
      Interleavings.spawn(
          "control",
          false,
          () -> {
            cq.doResize(1);
            cq.doResize(1);
          });
    }

    @Override
    public void check() {
      if (polled != 3) {
        throw new AssertionError("S18: polled " + polled + " of 3");
      }
    }
  }

  /** Moderated, with a producer that never reaches the count: the worker's timer must tell (B7). */
  public static final class Moderated extends Consumer {
    @Override
    public void setUp() {
      super.setUp();
      cq.doModerate(100, 1);
      Interleavings.spawn("producer", false, this::push);
    }
  }
}
