package ib.engine.verbs;

import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WrOpcode;
import ib.engine.SoftHca;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Key;
import ib.engine.port.HcaCore;
import ib.engine.port.PortProbe;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpHistory;
import ib.engine.qp.Ready;
import ib.engine.qp.Verb;
import ib.engine.ring.SendRing;
import ib.engine.ring.SlotRing;
import ib.engine.run.Claimed;
import ib.engine.run.Holder;
import ib.engine.run.RunList;
import ib.engine.run.Worker;
import ib.engine.time.Timer;
import ib.engine.time.TimerHeap;
import ib.engine.wire.RunContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The internal state of the engine, for the checkers of the simulator. */
public final class Probe {
  private static final VarHandle RELEASED = field(SlotRing.class, "released", long.class);
  private static final VarHandle CORE = field(SoftHca.class, "core", HcaCore.class);
  private static final VarHandle TIMERS = field(Worker.class, "heap", TimerHeap.class);
  private static final VarHandle HANDED = field(Worker.class, "qps", Claimed.class);
  private static final VarHandle NEXT = field(Claimed.class, "workNext", Claimed.class);
  private static final VarHandle HEAP = field(TimerHeap.class, "heap", Timer[].class);

  private static final VarHandle USERS = field(Key.class, "users", int.class);

  private Probe() {}

  private static VarHandle field(Class<?> of, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(of, MethodHandles.lookup())
          .findVarHandle(of, name, type);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("the checker does not follow the engine", e);
    }
  }

  /** Whether none of its packets is under way. */
  public static boolean idle(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    return core.isIdle();
  }

  /** {@return requests that are not completed, as a drain counts them} */
  public static int outstanding(QueuePair qp) {
    return ((SoftQp) qp).outstanding();
  }

  /** {@return whether no thread has claimed the queue pair} */
  public static boolean free(QueuePair qp) {
    return !((SoftQp) qp).engine.claimed();
  }

  /**
   * Posts an empty send whose opcode changes after it was checked, as when another thread changes a
   * list that is being posted.
   */
  public static void postChanged(QueuePair qp, WrOpcode opcode) {
    QpCore core = ((SoftQp) qp).engine;
    long index = core.sends.claim(1);
    int b = core.sends.base(index);
    core.sends.slots().begin(b, 0, opcode.value(), 0);
    core.sends.slots().keys(b, 0, 0);
    core.sends.slots().remote(b, 0);
    SendPost.publish(core, core.sends, index, 1);
  }

  /** The send ring of one life of a queue pair. */
  public record Life(SendRing ring) {
    /** Whether it goes on where another one has ended for good. */
    public boolean follows(Life before) {
      return before.ring.sealed()
          && before.ring.claim(1) == SlotRing.CLOSED
          && ring.head() == before.ring.tail();
    }
  }

  /** {@return the present life of a queue pair} */
  public static Life life(QueuePair qp) {
    return new Life(((SoftQp) qp).engine.sends);
  }

  /** Whether the service of a queue pair executes an opcode. */
  public static boolean executes(QueuePair qp, WrOpcode opcode) {
    return (Verb.executable(((SoftQp) qp).engine.service) >>> opcode.value() & 1) != 0;
  }

  /** Whether no claim of a device's queue pairs is held any more; five minutes end a hang. */
  public static boolean allFree(SoftHca hca) throws InterruptedException {
    HcaCore core = (HcaCore) CORE.get(hca);
    for (int i = 0; i < 60_000; i++) {
      boolean[] free = {true};
      PortProbe.queuePairs(core, qp -> free[0] &= !qp.claimed());
      if (free[0]) {
        return true;
      }
      Thread.sleep(5);
    }
    return false;
  }

  /** The claims that are held, and by whom, for a failure's text. */
  @SuppressWarnings("ReferenceEquality") // a run list is itself
  public static String claims(SoftHca hca) {
    HcaCore core = (HcaCore) CORE.get(hca);
    StringBuilder text = new StringBuilder("worker" + core.worker().where());
    PortProbe.queuePairs(
        core,
        qp -> {
          if (qp.claimed()) {
            RunList owner = qp.owner;
            text.append("\n").append(qp.type).append(' ').append(qp.state);
            text.append(owner == null ? ", no owner" : owner == qp.runList ? ", own" : "");
            text.append(owner == core.worker().runList() ? ", worker's" : "");
            text.append(qp.listed ? ", listed" : "").append(", final ");
            text.append(qp.history.isFinal()).append(", ").append(rings((SoftQp) qp.verbs));
            Throwable why = qp.history.crash();
            text.append(why == null ? "" : ", " + why + Holder.at(why.getStackTrace()));
          }
        });
    return text.toString();
  }

  /** How many objects a device has counted in. */
  public static int objects(SoftHca hca) {
    HcaCore core = (HcaCore) CORE.get(hca);
    int[] n = {0};
    PortProbe.queuePairs(core, qp -> n[0]++);
    return n[0] + PortProbe.counted(core);
  }

  /** Claims it and never gives it back, as a thread would that is stuck inside. */
  public static void hold(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    core.heldBy(Thread.currentThread().threadId());
    if (!core.tryClaim()) {
      throw new AssertionError("it is claimed already");
    }
  }

  /** Begins copies through a key, or ends them when the number is less than 0. */
  public static void copies(QueuePair qp, int rkey, int by) {
    Key key = ((SoftQp) qp).engine.hca.rkeys().find(rkey);
    USERS.getAndAdd(key, by);
  }

  /** Claims a queue pair for a run that runs it later, unless it is claimed already. */
  public static void wake(QueuePair qp, RunContext run) {
    ((RunList) run).schedule(((SoftQp) qp).engine);
  }

  /** Whether its claim was made dead. */
  public static boolean dead(QueuePair qp) {
    return ((SoftQp) qp).engine.dead();
  }

  /**
   * Keeps the control path of a queue pair for the caller's thread, as one that is stuck inside it;
   * returns what gives it back.
   */
  public static Runnable holdControl(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    if (!core.want()) {
      throw new AssertionError("another thread waits for it already");
    }
    return () -> {
      if (core.unwant()) {
        core.runList.run(core);
      }
    };
  }

  /** {@return whether a fence of the control path succeeds without a wait for the claim holder} */
  public static boolean passesBy(QueuePair qp) {
    try {
      ((SoftQp) qp).engine.control.passBy(System.nanoTime() - 1);
      return true;
    } catch (IbTimedOutException e) {
      return false;
    }
  }

  /** Lets the thread go on that {@link #hold holds} the queue pair. */
  public static void letGo(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    core.runList.run(core);
  }

  /** Whether an exception was caught of which a step has yet to make an error. */
  public static boolean crashPending(QueuePair qp) {
    QpHistory crash = ((SoftQp) qp).engine.history;
    return crash.isPending() && !crash.isFinal();
  }

  /** How many packets it would have sent for requests that were executed at its peer. */
  public static long direct(QueuePair qp) {
    return ((SoftQp) qp).engine.directRequests;
  }

  /** Whether it says that packets must end what packets have begun. */
  public static boolean inMiddle(QueuePair qp) {
    return (((SoftQp) qp).engine.refuses & Ready.MIDDLE) != 0;
  }

  /** How many packets it has really sent, requests and answers. */
  public static long packets(QueuePair qp) {
    return ((SoftQp) qp).engine.packets(HcaCounter.SENT_PKTS);
  }

  /** Whether the free slots of its rings are those whose requests have ended and were polled. */
  public static boolean even(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    return surplus(core.sends) == 0 && surplus(core.receives) == 0;
  }

  /** Its rings, for a failure's text. */
  public static String rings(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine;
    return "sends " + text(core.sends) + ", receives " + text(core.receives);
  }

  private static String text(SlotRing ring) {
    return ring.tail()
        + " posted, "
        + ring.head()
        + " done, "
        + RELEASED.getVolatile(ring)
        + " polled";
  }

  /** Whether the free slots are those that were taken. */
  public static boolean even(SharedReceiveQueue srq) {
    return surplus(((SoftSrq) srq).shared.ring()) == 0;
  }

  /** Free slots beyond those whose requests have ended; less than 0 when some are not free. */
  private static int surplus(SlotRing ring) {
    return ring.room() - (ring.capacity() - ring.size());
  }

  /** Whether every queue pair that waits for the worker waits once and is still claimed for it. */
  public static boolean claimed(SoftHca hca) {
    Worker worker = ((HcaCore) CORE.get(hca)).worker();
    Set<Claimed> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Claimed qp = (Claimed) HANDED.getVolatile(worker);
    for (; qp != null; qp = (Claimed) NEXT.getVolatile(qp)) {
      if (!qp.claimed() || !seen.add(qp)) { // one that waits twice makes the list a ring
        return false;
      }
    }
    return true;
  }

  /** {@return how many timers run that no object needs; called after a step of the worker} */
  public static int timersLeft(SoftHca hca) {
    HcaCore core = (HcaCore) CORE.get(hca);
    TimerHeap timers = (TimerHeap) TIMERS.get(core.worker());
    int left = 0;
    for (@Nullable Timer t : (@Nullable Timer[]) HEAP.get(timers)) {
      left += t != null && t.cancelled() ? 1 : 0;
    }
    return left;
  }

  /** The timers that run, for a failure's text. */
  public static String timers(SoftHca hca) {
    StringBuilder text = new StringBuilder();
    TimerHeap timers = (TimerHeap) TIMERS.get(((HcaCore) CORE.get(hca)).worker());
    for (@Nullable Timer t : (@Nullable Timer[]) HEAP.get(timers)) {
      if (t != null) {
        text.append(t.getClass().getSimpleName()).append(t.cancelled() ? " cancelled, " : ", ");
      }
    }
    return text.toString();
  }
}
