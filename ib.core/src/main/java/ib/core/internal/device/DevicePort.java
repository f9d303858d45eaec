package ib.core.internal.device;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.event.DeviceEvents;
import ib.core.internal.event.EventHandlers;
import ib.core.internal.event.EventHub;
import ib.core.internal.hotplug.BoundHandle;
import ib.core.internal.hotplug.DeviceHooks;
import ib.core.internal.hotplug.EventGate;
import ib.core.internal.jmx.ContractStatistics;
import ib.core.internal.jmx.DeviceStatistics;
import ib.core.internal.jmx.StatisticsThread;
import ib.core.internal.restrack.ObjectTable;
import ib.core.internal.restrack.Owner;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Everything the core keeps of one device, as the hot-plug machine drives it. */
public final class DevicePort implements DeviceHooks, EventGate, EventHandlers {
  /**
   * The objects that all devices of a midlayer share.
   *
   * @param builtIn names of the core's own clients
   * @param common the objects that all handles share
   * @param hub dispatches the events
   * @param statistics registers devices with JMX
   * @param violations shows the violations to JMX
   * @param reportNs after which time a callback that has not returned is reported
   */
  public record Shared(
      Set<String> builtIn,
      DeviceParts.Common common,
      EventHub hub,
      StatisticsThread statistics,
      ContractStatistics violations,
      LongSupplier reportNs) {
    /**
     * With a thread for JMX of its own.
     *
     * @param builtIn names of the core's own clients
     * @param common what handles need
     * @param hub the events
     * @param reportNs after which time something that does not return is reported
     */
    public Shared(
        Set<String> builtIn, DeviceParts.Common common, EventHub hub, LongSupplier reportNs) {
      this(builtIn, common, hub, new StatisticsThread(), reportNs);
    }

    private Shared(
        Set<String> builtIn,
        DeviceParts.Common common,
        EventHub hub,
        StatisticsThread thread,
        LongSupplier reportNs) {
      this(
          builtIn,
          common,
          hub,
          thread,
          new ContractStatistics(common.contract(), thread),
          reportNs);
    }

    /** Ends the thread for JMX, when the devices have gone. */
    public void close() {
      violations.close();
      statistics.close();
    }

    Contract contract() {
      return common.contract();
    }
  }

  private final DriverDevice driver;
  private final Shared shared;
  private final Consumer<DevicePort> forget;
  private final DeviceStatistics statistics;
  private volatile DeviceEvents events;
  private volatile @Nullable DeviceParts parts;
  private boolean opened; // the device's actor calls one at a time
  private boolean drained;

  /**
   * A device that is about to be registered.
   *
   * @param driver the driver's device
   * @param shared what the devices of a midlayer share
   * @param forget called when the device has gone
   */
  public DevicePort(DriverDevice driver, Shared shared, Consumer<DevicePort> forget) {
    this.driver = driver;
    this.shared = shared;
    this.forget = forget;
    this.statistics = new DeviceStatistics(driver, shared.statistics());
    this.events = shared.hub().device(driver);
    shared.violations().open();
  }

  @Override
  public void probe() {
    DeviceAttr attrs = driver.ops().queryDevice();
    if (attrs.physPortCount() != driver.info().portCount()) {
      throw new IbInvalidException(
          "probe " + driver.name(),
          "queryDevice tells of "
              + attrs.physPortCount()
              + " ports, DeviceInfo of "
              + driver.info().portCount(),
          "the same number in both");
    }
    parts = assemble(attrs);
    BoundDevice trial = new BoundDevice("probe", parts());
    if (shared.contract().checking()) {
      probeFromOutside(trial);
    } else {
      probe(trial);
    }
  }

  private void probe(BoundDevice trial) {
    try {
      events.load(); // so that the driver's and the probe's reads find the tables (S11)
      Probe.run(trial);
    } finally {
      trial.sweepAndPoison();
    }
  }

  /** As {@link #probe(BoundDevice)}, where a lock of the caller's is noticed (S30). */
  private void probeFromOutside(BoundDevice trial) {
    String what = "the registration of " + driver.name();
    LockCheck check = new LockCheck(() -> probe(trial));
    Violation violation =
        check.await(
            driver.info().driver(),
            what,
            shared.reportNs().getAsLong(),
            shared.common().waits().deadlineNs());
    if (violation != null) {
      trial.poison(); // the calls go on when the caller does: only the present one, then
      shared.contract().report(violation);
      throw new IbContractException("S30", "register " + driver.name(), violation.text());
    }
    if (!check.ended()) {
      trial.poison();
      throw new IbTimedOutException(
          "register " + driver.name(), "a call of its probe does not return", "a jstack");
    }
    RuntimeException failure = check.failure();
    if (failure != null) {
      throw failure;
    }
  }

  private DeviceParts assemble(DeviceAttr attrs) {
    return DeviceParts.of(
        driver,
        attrs,
        new CurrentCaches(() -> events.caches()),
        this,
        shared.common(),
        this::mirror);
  }

  private DeviceParts parts() {
    DeviceParts p = parts;
    if (p == null) {
      throw new IllegalStateException(driver.name() + " was not probed");
    }
    return p;
  }

  private void mirror(IbEvent event) {
    events.mirror(event);
  }

  @Override
  public void identify(DeviceInfo info) {
    driver.rename(info);
    if (opened) {
      shared.hub().renamed(events, info.name());
    }
    if (statistics.isOpen()) {
      statistics.open();
    }
  }

  @Override
  public BoundHandle bind(String owner, long sequence) {
    long graceNs = owner.equals(Contract.CHECK) ? LockCheck.GRACE_NS : Owner.GRACE_NS;
    // what the core's own clients make is shown as Linux shows it: comm [ib_core]
    String account = shared.builtIn().contains(owner) ? "ib_core" : owner;
    return new Handle(new BoundDevice(account, parts(), graceNs));
  }

  /** {@return a handle that answers queries from the caches and belongs to no client} */
  public IbDevice reader() {
    return driver;
  }

  public DriverDevice driver() {
    return driver;
  }

  /** {@return the objects, null before the probe} */
  public @Nullable ObjectTable objects() {
    DeviceParts p = parts;
    return p == null ? null : p.objects();
  }

  // ---- events ----

  /** {@return what became of the events} */
  public Map<String, Long> eventCounters() {
    return events.stats().named();
  }

  /** {@return what the MAD layer of a port counts} */
  public Map<String, Long> managementCounters(int port) {
    DeviceParts p = parts;
    return p == null ? Map.of() : p.services().counters(port);
  }

  @Override
  public EventGate events() {
    return this;
  }

  @Override
  public void open() {
    if (drained) {
      events = events.next();
      drained = false;
    }
    driver.connect(events.sink(), new BoundDevice("core", parts()));
    opened = true;
    statistics.open();
    events.open();
  }

  @Override
  public void close() {
    events.close();
  }

  @Override
  public void drain() {
    events.drain(Owner.GRACE_NS);
    drained = true;
  }

  @Override
  public void register(IbDevice owner, IbEventHandler handler) {
    events.register(owner, handler);
  }

  @Override
  public void unregister(IbDevice owner, IbEventHandler handler) {
    events.unregister(owner, handler);
  }

  @Override
  public boolean inside(IbEventHandler handler) {
    return events.inside(handler);
  }

  @Override
  public void close(IbDevice owner, long timeoutNs) {
    events.closeOwner(owner, timeoutNs);
  }

  // ---- the end ----

  @Override
  public List<LeakRecord> gone() {
    DeviceParts p = parts;
    if (p != null && !p.close()) {
      shared
          .contract()
          .report(
              "CC-19",
              driver.info().driver(),
              "a completion callback of " + driver.name() + " does not return",
              List.of());
    }
    statistics.close();
    driver.connect(null, null);
    forget.accept(this);
    return List.of(); // every handle was swept when it was let go of
  }

  private record Handle(BoundDevice bound) implements BoundHandle {
    @Override
    public IbDevice device() {
      return bound;
    }

    @Override
    public List<String> held() {
      return bound.held();
    }

    @Override
    public List<LeakRecord> sweepAndPoison() {
      return bound.sweepAndPoison();
    }
  }
}
