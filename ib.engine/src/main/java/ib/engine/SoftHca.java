package ib.engine;

import ib.core.mad.MadSource;
import ib.core.spi.DeviceOps;
import ib.core.spi.MadVerdict;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.AtomicCap;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortModify;
import ib.core.verbs.PortState;
import ib.core.verbs.ProtectionDomain;
import ib.engine.port.HcaCore;
import ib.engine.port.HcaObserver;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.run.RunList;
import ib.engine.time.NanoClock;
import ib.engine.time.Timer;
import ib.engine.verbs.SoftPd;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A complete software HCA over any wires: the control path of a driver's device. The driver creates
 * it, starts its worker, brings its ports up through {@link #port}, and shuts it down last. Any
 * thread may call.
 *
 * <p>Events (IBA 11.6.3) that it does not raise: PATH_MIG and PATH_MIG_ERR, since paths do not
 * migrate (no {@code Cap.AUTO_PATH_MIG}; a query returns the alternate path that was set). SRQ_ERR,
 * since a ring in memory does not fail; WQ_FATAL, since there are no receive work queues.
 * DEVICE_SPEED_CHANGE, since width and speed change while a port is down. DEVICE_FATAL is raised
 * when a step of the worker throws an exception for the first time: the work of that step may be
 * lost. The worker goes on and counts ({@code worker_errors}).
 */
public final class SoftHca implements DeviceOps {
  private static final Set<Cap> CAPS =
      EnumSet.of(
          Cap.RC,
          Cap.UC,
          Cap.UD,
          Cap.GSI,
          Cap.SRQ,
          Cap.ATOMICS,
          Cap.ATOMIC_WRITE,
          Cap.FLUSH_GLOBAL,
          Cap.MEM_MGT_EXTENSIONS,
          Cap.MEM_WINDOW,
          Cap.MEM_WINDOW_TYPE_2B,
          Cap.MULTICAST,
          Cap.UD_TSO,
          Cap.CQ_RESIZE,
          Cap.CQ_MODERATION,
          Cap.REREG_MR,
          Cap.RC_RNR_NAK_GEN,
          Cap.PORT_ACTIVE_EVENT,
          Cap.SYS_IMAGE_GUID,
          Cap.CURR_QP_STATE_MOD,
          Cap.BAD_PKEY_CNTR,
          Cap.BAD_QKEY_CNTR);

  private final HcaCore core;
  private final HcaObserver observer;
  private final DeviceAttr attr;

  /**
   * Builds a device with the system's clock and random source.
   *
   * @param config configuration of the device
   * @param wires one wire for each port
   * @param observer called with unaffiliated events
   */
  public SoftHca(HcaConfig config, List<Wire> wires, HcaObserver observer) {
    this(config, wires, observer, NanoClock.SYSTEM, new SecureRandom());
  }

  /**
   * Builds a device.
   *
   * @param config configuration of the device
   * @param wires one wire for each port
   * @param observer called with unaffiliated events
   * @param clock the clock, virtual in the simulator
   * @param random source of keys and numbers, seeded in the simulator
   */
  public SoftHca(
      HcaConfig config,
      List<Wire> wires,
      HcaObserver observer,
      NanoClock clock,
      RandomGenerator random) {
    this.core = new HcaCore(config, wires, clock, random, observer);
    this.observer = observer;
    this.attr =
        new DeviceAttr(
            config.firmware(),
            config.nodeGuid(),
            config.systemImageGuid(),
            0xffffff,
            0,
            0,
            config.portCount(),
            caps(config.linkLayer()),
            AtomicCap.GLOB,
            config.limits());
  }

  /** {@return the capabilities} RoCE has no subnet manager, so no QP0 (IBA annex A16.4.1). */
  private static Set<Cap> caps(LinkLayer layer) {
    EnumSet<Cap> all = EnumSet.copyOf(CAPS);
    if (layer == LinkLayer.INFINIBAND) {
      all.add(Cap.SMI);
    }
    return all;
  }

  /**
   * Starts the worker's thread, a daemon. Without that thread the caller must call {@link #step}
   * (simulator).
   *
   * @param threadName name of the thread
   */
  public void start(String threadName) {
    core.worker().start(threadName);
  }

  /**
   * Runs a step of a worker without a thread.
   *
   * @return how much work there was; 0 for none
   */
  public int step() {
    return core.worker().step();
  }

  /** {@return when the earliest timer is due by the device's clock; Long.MAX_VALUE for never} */
  public long earliestTimerNs() {
    return core.worker().earliestNs();
  }

  /**
   * Starts a timer of the driver, for later work of a wire. Any thread may call; never blocks.
   *
   * @param timer a timer that is not running; when it is due, it may pass packets on in {@link
   *     #timerContext}
   */
  public void startTimer(Timer timer) {
    core.worker().start(timer);
  }

  /** {@return the context for due timers, and only for them} */
  public RunContext timerContext() {
    return core.worker().runList();
  }

  /**
   * Ends the device: claims every queue pair for good, flushes posted requests into the completion
   * queues, and ends the worker. Blocks; when it returns, no thread is inside the engine on behalf
   * of this device (D4).
   */
  public void shutdown() {
    core.shutdown();
  }

  /**
   * Returns the service that explains why a queue pair does not work.
   *
   * @param device device name
   * @return the service
   */
  public QpDiagnosis diagnosis(String device) {
    return new QpDiagnosis() {
      @Override
      public String device() {
        return device;
      }

      @Override
      public Optional<Report> diagnose(int qpn) {
        return core.diagnose(device, n -> n == qpn).findFirst();
      }

      @Override
      public List<Report> all() {
        return core.diagnose(device, n -> true).toList();
      }
    };
  }

  /**
   * Returns a port, for the driver and its subnet management.
   *
   * @param number from 1
   * @return the port
   * @throws ib.core.verbs.IbInvalidException for any other number
   */
  public HcaPort port(int number) {
    return core.port(number);
  }

  /** {@return a context for a thread of the wire, see {@link RunContext}} */
  public RunContext newRunContext() {
    return RunList.ofBatches(core.config().runBudgetBytes());
  }

  @Override
  public DeviceAttr queryDevice() {
    return attr;
  }

  @Override
  public PortAttr queryPort(int port) {
    return core.port(port).attr();
  }

  @Override
  public Gid queryGid(int port, int index) {
    return core.port(port).gid(index);
  }

  @Override
  public int queryPkey(int port, int index) {
    return core.port(port).pkey(index);
  }

  @Override
  public long gidChanges(int port) {
    return core.port(port).gidChanges();
  }

  @Override
  public long pkeyChanges(int port) {
    return core.port(port).pkeyChanges();
  }

  @Override
  public ProtectionDomain allocPd(ObjectControl control) {
    core.count(Limit.MAX_PD, "allocPd");
    return new SoftPd(control, core);
  }

  @Override
  public CompletionQueue createCq(ObjectControl control, CqInit init) {
    return core.createCq(control, init);
  }

  @Override
  public MadVerdict processMad(int port, MadSource source, MemorySegment in, MemorySegment out) {
    return observer.processMad(port, source, in, out);
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    observer.change(port, () -> modify(core.port(port), change));
  }

  private static void modify(HcaPort p, PortModify change) {
    p.update(b -> b.capFlags(p.attr().capFlags() & ~change.clearCapMask() | change.setCapMask()));
    if (change.resetQkeyCounter()) {
      p.resetQkeyViolations();
    }
    if (change.shutdown()) {
      p.state(PortState.DOWN, PhysState.DISABLED);
    }
  }

  @Override
  public Map<String, Long> counters(int port) {
    return core.port(port).counters();
  }

  @Override
  public Map<PortCounter, Long> portCounters(int port, PortCounter.Form form) {
    return core.port(port).counters(form);
  }

  @Override
  public void resetPortCounters(int port, PortCounter.Form form, Set<PortCounter> which) {
    core.port(port).resetCounters(form, which);
  }
}
