package ib.engine.port;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.QpDiagnosis.Finding;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.Limit;
import ib.core.verbs.ObjectControl;
import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.link.Refusals;
import ib.engine.mr.IntTable;
import ib.engine.mr.Numbers;
import ib.engine.qp.ControlPath;
import ib.engine.qp.Hca;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.QpCore;
import ib.engine.run.Worker;
import ib.engine.time.NanoClock;
import ib.engine.wire.Wire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The shared state of one device's objects: ports, numbers, groups, counters, limits. */
public final class HcaCore extends Hca {
  private static final int MIN_QPN = 16; // 0 and 1 are special, a few more are left alone
  private static final int NUMBERS_BETWEEN = 1 << 20; // creations; a region takes two keys (V1-V5)
  private static final int MAX_CLOSED = 16; // of which the diagnosis is kept
  private static final Limit[] COUNTED = {
    Limit.MAX_PD,
    Limit.MAX_CQ,
    Limit.MAX_QP,
    Limit.MAX_SRQ,
    Limit.MAX_MR,
    Limit.MAX_MW,
    Limit.MAX_AH
  };

  private final HcaPort[] ports;
  private final Wire[] polled; // those that pollers receive from
  private final Numbers keyNumbers;
  private final Numbers qpNumbers;
  final IntTable<QpCore> qps = new IntTable<>();
  private final Multicast multicast;
  private final Tally tally;
  private final Map<Limit, AtomicInteger> counts = new EnumMap<>(Limit.class);
  private final AtomicInteger domains = new AtomicInteger();

  @GuardedBy("closed")
  private final Deque<QpDiagnosis.Report> closed = new ArrayDeque<>();

  private volatile boolean gone;

  /**
   * Builds a device's core.
   *
   * @param config its configuration
   * @param wires one for each port
   * @param clock the time
   * @param random where numbers come from
   * @param observer called with unaffiliated events
   */
  public HcaCore(
      HcaConfig config,
      List<Wire> wires,
      NanoClock clock,
      RandomGenerator random,
      HcaObserver observer) {
    this(config, wires, clock, random, observer, new Tally(wires.size()));
  }

  private HcaCore(
      HcaConfig config,
      List<Wire> wires,
      NanoClock clock,
      RandomGenerator random,
      HcaObserver observer,
      Tally tally) {
    super(config, new Worker(clock, tally, config.runBudgetBytes()));
    if (wires.size() != config.portCount()) {
      throw new IllegalArgumentException(
          wires.size() + " wires for " + config.portCount() + " ports");
    }
    this.tally = tally;
    AtomicBoolean fatal = new AtomicBoolean();
    worker()
        .whenFailed(
            () -> {
              tally.count(1, HcaCounter.WORKER_ERRORS);
              if (!fatal.getAndSet(true)) {
                observer.event(EventType.DEVICE_FATAL, 0);
              }
            });
    this.keyNumbers = new Numbers(random, 32, 256, 2 * NUMBERS_BETWEEN);
    this.qpNumbers = new Numbers(random, 24, MIN_QPN, NUMBERS_BETWEEN);
    this.multicast = new Multicast(config);
    this.ports = new HcaPort[wires.size()];
    for (int i = 0; i < ports.length; i++) {
      ports[i] = new HcaPort(this, i + 1, wires.get(i), observer);
    }
    this.polled = wires.stream().filter(Wire::polled).toArray(Wire[]::new);
    for (Limit l : COUNTED) {
      counts.put(l, new AtomicInteger());
    }
  }

  @Override
  public HcaPort port(int number) {
    if (number < 1 || number > ports.length) {
      throw Refusals.range("port", number, 1, ports.length);
    }
    return ports[number - 1];
  }

  /** {@return which queue pairs are in which multicast group} */
  public Multicast multicast() {
    return multicast;
  }

  /** {@return the counters} */
  public Tally tally() {
    return tally;
  }

  @Override
  public void takeCounts(QpCore qp) {
    tally.settle(qp);
  }

  /** {@return where keys come from} */
  public Numbers keyNumbers() {
    return keyNumbers;
  }

  /** {@return the number of a new protection domain} */
  public int nextDomain() {
    return domains.incrementAndGet();
  }

  /**
   * Makes a completion queue.
   *
   * @param control the core's book
   * @param init the attributes
   * @return the queue
   */
  public SoftCq createCq(ObjectControl control, CqInit init) {
    count(Limit.MAX_CQ, "createCq");
    SoftCq made = null;
    try {
      made = new SoftCq(control, init, this);
      return made;
    } finally {
      if (made == null) {
        discount(Limit.MAX_CQ);
      }
    }
  }

  /**
   * Counts an object in.
   *
   * @param limit what it is
   * @param method for the report
   * @throws IbNoMemoryException when there are too many
   */
  public void count(Limit limit, String method) {
    AtomicInteger n = counts.get(limit);
    if (n == null || gone) {
      throw Refusals.gone(method);
    }
    if (n.incrementAndGet() > config().limit(limit)) {
      n.decrementAndGet();
      throw new IbNoMemoryException(
          method, limit.label() + " is " + config().limit(limit), "close some or raise the limit");
    }
  }

  /** Counts an object out. */
  public void discount(Limit limit) {
    AtomicInteger n = counts.get(limit);
    if (n != null) {
      n.decrementAndGet();
    }
  }

  /** {@return how many objects are counted in} */
  int counted() {
    return counts.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  /** Gives a queue pair its number and makes it reachable. */
  public synchronized void enter(QpCore qp) {
    int special = qp.specialNumber();
    if (special >= 0) {
      port(qp.init.port()).specials.enter(special, qp);
      qp.qpn = special;
    } else {
      qp.qpn = qpNumbers.next();
      qps.put(qp.qpn, qp);
    }
    tally.enter(qp);
  }

  /**
   * Looks at queue pairs, and at the latest that were closed in trouble.
   *
   * @param device device name, for the reports
   * @param wanted which numbers
   * @return what is known of them
   */
  public Stream<QpDiagnosis.Report> diagnose(String device, IntPredicate wanted) {
    long now = worker().now();
    List<QpDiagnosis.Report> old;
    synchronized (closed) {
      old = List.copyOf(closed);
    }
    return Stream.concat(
        tally.all().stream().filter(q -> wanted.test(q.qpn)).map(q -> q.control.diagnose(device)),
        old.stream()
            .filter(r -> wanted.test(r.qpn()))
            .map(r -> r.with(device, now, r.counters(), new Finding(r.likely(), r.tries()))));
  }

  /** Keeps the diagnosis of a closed queue pair; null: nothing was wrong with it. */
  public void keep(QpDiagnosis.@Nullable Report last) {
    if (last == null) {
      return;
    }
    synchronized (closed) {
      closed.addLast(last);
      if (closed.size() > MAX_CLOSED) {
        closed.removeFirst();
      }
    }
  }

  /** Makes a queue pair unreachable; its number goes into quarantine. */
  public synchronized void leave(QpCore qp) {
    int special = qp.specialNumber();
    if (special >= 0) {
      port(qp.init.port()).specials.leave(special, qp);
    } else if (qps.remove(qp.qpn)) {
      qpNumbers.retire(qp.qpn);
    }
    multicast.forget(qp);
  }

  @Override
  protected boolean progress() {
    boolean some = false;
    for (Wire wire : polled) {
      some |= wire.progress();
    }
    return some;
  }

  @Override
  protected long nodeGuid() {
    return config().nodeGuid();
  }

  @Override
  protected void notifyFailed() {
    tally.count(1, HcaCounter.STEPS_CRASHED);
  }

  @Override
  protected void cqClosed() {
    discount(Limit.MAX_CQ);
  }

  @Override
  protected void pollersRest() {
    for (Wire wire : polled) {
      wire.pollersRest();
    }
  }

  /** {@return whether the device was shut down} */
  public boolean gone() {
    return gone;
  }

  /**
   * Claims all queue pairs for good, flushes them, ends the worker: the fence of removal (D4).
   *
   * @throws ib.core.verbs.IbTimedOutException when that was not possible in 5 s with one of them,
   *     or with the worker; all others have gone
   */
  public void shutdown() {
    gone = true;
    long end = ControlPath.deadline();
    List<IbTimedOutException> stuck = new ArrayList<>();
    Consumer<QpCore> kill =
        qp -> {
          try {
            qp.control.kill(end);
          } catch (IbTimedOutException e) {
            stuck.add(e);
          }
        };
    qps.forEach(kill);
    for (HcaPort p : ports) {
      p.specials.forEach(kill);
    }
    if (!worker().stop(end)) {
      stuck.add(
          new IbTimedOutException(
              "shutdown", "the worker is stuck" + worker().where(), "report it with this text"));
    }
    if (!stuck.isEmpty()) {
      throw stuck.getFirst();
    }
  }
}
