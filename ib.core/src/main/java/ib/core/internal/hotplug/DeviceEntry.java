package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import ib.core.verbs.DeviceInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A registered device; guarded by the book, but for what is final or volatile. */
public final class DeviceEntry {
  /** The states of a device. */
  public enum State {
    /** Name and GUID are taken. */
    NEW,
    /** The core probes the device (S27). */
    PROBING,
    /** The device is complete; no client has seen it. */
    PROBED,
    /** Clients are being added. */
    ENABLING,
    /** All clients have been added. */
    LIVE,
    /** Clients are being removed; no new adds, no new leases. */
    DISABLING,
    /** Clients are being removed for a reset; they are added again after it (CC-23). */
    RESETTING,
    /** No client uses the device, and none can any more. */
    GONE
  }

  final DeviceHooks hooks;
  final Object driver;
  final @Nullable DeviceEntry parent;
  final Actor actor;
  final List<DeviceEntry> children = new ArrayList<>();

  /** Clients that were considered, with what came of it. */
  final Map<ClientEntry, Binding> bindings = new LinkedHashMap<>();

  /** The successful adds in their order: a stack. */
  final List<Binding> live = new ArrayList<>();

  final List<Lease> leases = new ArrayList<>();

  volatile State state = State.NEW; // written under the book's lock, read in any context

  /** Whether the removal was requested: no new operation begins. */
  volatile boolean stopping; // as the state

  int adds;
  boolean gateOpen;
  boolean goneCalled;
  @Nullable String newName;
  Sync.@Nullable Signal leaseSignal;

  private volatile DeviceInfo info;
  private long removalStartNs;
  private final List<RemovalReport.Step> steps = new ArrayList<>();
  private final List<LeakRecord> leaks = new ArrayList<>();

  DeviceEntry(
      Book book, DeviceHooks hooks, DeviceInfo info, Object driver, @Nullable DeviceEntry parent) {
    this.hooks = hooks;
    this.info = info;
    this.driver = driver;
    this.parent = parent;
    this.actor = new Actor(book, this);
  }

  /** {@return its identity now (CC-15)} */
  public DeviceInfo info() {
    return info;
  }

  void info(DeviceInfo renamed) {
    info = renamed;
  }

  /** {@return its name now} */
  public String name() {
    return info.name();
  }

  /** Whether it can be used by those who look for it. */
  boolean usable() {
    return !stopping && (state == State.ENABLING || state == State.LIVE);
  }

  /** Whether something of the client is on it. */
  boolean engaged(ClientEntry client) {
    Binding b = bindings.get(client);
    return b != null && b.engaged();
  }

  /** Starts the report of a removal or reset. */
  void startReport(long nowNs) {
    removalStartNs = nowNs;
    steps.clear();
    leaks.clear();
  }

  void step(Binding b, long ns) {
    steps.add(new RemovalReport.Step(b.client.name, b.place, ns, b.lastError));
  }

  void leaked(List<LeakRecord> more) {
    leaks.addAll(more);
  }

  RemovalReport report(long nowNs) {
    return new RemovalReport(name(), nowNs - removalStartNs, steps, leaks);
  }

  @Override
  public String toString() {
    return name();
  }
}
