package ib.core.internal;

import ib.core.client.ClientRegistration;
import ib.core.client.ClientStatus;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.client.ResourceRecord;
import ib.core.client.Violation;
import ib.core.internal.callback.CallbackPool;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.DeviceParts;
import ib.core.internal.device.DevicePort;
import ib.core.internal.device.LockCheck;
import ib.core.internal.event.EventConfig;
import ib.core.internal.event.EventHub;
import ib.core.internal.hotplug.ClientEntry;
import ib.core.internal.hotplug.DeviceEntry;
import ib.core.internal.hotplug.Form;
import ib.core.internal.hotplug.Hotplug;
import ib.core.internal.hotplug.Limits;
import ib.core.internal.mad.MadClient;
import ib.core.internal.restrack.ObjectTable;
import ib.core.internal.restrack.Quotas;
import ib.core.internal.sa.SaLayer;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import ib.core.spi.ContractReports;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DriverDevice;
import ib.core.spi.DriverRegistry;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.PortCounter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The midlayer, in plain Java: hot-plug, events, objects and callbacks together. OSGi uses it
 * through {@code ib.core.internal.osgi}, other programs through {@code ib.core.spi.StandaloneCore}.
 */
public final class Midlayer implements IbCore, DriverRegistry, AutoCloseable {
  /** The order of adds begins with the core's own clients, whatever the others' keys. */
  private static final Long FIRST = Long.MIN_VALUE;

  private final WaitGraph waits = new WaitGraph();
  private final Contract contract;
  private final EventHub hub;
  private final CallbackPool pool = new CallbackPool();
  private final DevicePort.Shared shared;
  private final Hotplug hotplug;
  private final MadClient mad;
  private final Arrivals arrivals;
  private volatile CoreConfig config;
  private final Map<DeviceEntry, DevicePort> ports = new ConcurrentHashMap<>();

  /**
   * Makes a midlayer without devices.
   *
   * @param limits how long callbacks may take
   */
  public Midlayer(Limits limits) {
    this(limits, Contract.fromProperty());
  }

  Midlayer(Limits limits, Contract contract) {
    this.config = new CoreConfig(limits, Quotas.STANDARD);
    this.contract = contract;
    CoreLog log = new CoreLog(contract);
    hub = new EventHub(EventConfig.DEFAULT, log, new HandlerSection(), waits);
    DeviceParts.Common common =
        new DeviceParts.Common(contract, pool, () -> config.quotas(), waits);
    shared =
        new DevicePort.Shared(
            Set.of(MadClient.NAME, SaLayer.NAME), common, hub, () -> config.limits().reportNs());
    waits.deadlineNs(limits.deadlineNs());
    hotplug = new Hotplug(waits, Contract::inAtomic, limits, log);
    mad = new MadClient(contract, waits);
    arrivals = new Arrivals(contract, mad.world()::execute, waits);
    attach(announce(mad, MadClient.NAME, List.of(), FIRST)); // before all others (M1)
    attach(announce(new SaLayer(mad.world()), SaLayer.NAME, List.of(MadClient.NAME), FIRST));
  }

  /**
   * Changes the time limits of callbacks, of running ones too, and the quotas of clients. Objects
   * that clients already have stay.
   *
   * @param changed the new configuration
   */
  public void configure(CoreConfig changed) {
    config = changed;
    waits.deadlineNs(changed.limits().deadlineNs());
    hotplug.limits(changed.limits());
  }

  /** {@return the events of all devices, to be joined to a bus} */
  public EventHub events() {
    return hub;
  }

  @Override
  public Waits waits() {
    return waits;
  }

  /** {@return how changes of services reach devices and clients} */
  public Arrivals arrivals() {
    return arrivals;
  }

  // ---- devices ----

  /**
   * Takes a device's name and GUID; nothing is called yet.
   *
   * @param device the device
   * @return the entry, to be brought up
   */
  public DeviceEntry announce(DriverDevice device) {
    DevicePort port = new DevicePort(device, shared, gone -> ports.values().remove(gone));
    DeviceEntry entry = hotplug.announce(port, device.info(), device.info().driver(), null);
    ports.put(entry, port);
    return entry;
  }

  /**
   * Probes and adds all clients (S27, S31, S39).
   *
   * @param entry an announced device
   */
  public void bringUp(DeviceEntry entry) {
    boolean up = false;
    try {
      hotplug.bringUp(entry);
      up = true;
    } finally {
      if (!up) {
        ports.remove(entry);
      }
    }
  }

  /**
   * Removes a device whose service goes (I3). Where it cannot be waited for it is removed by
   * another thread and a violation is recorded: in a callback of its own (CC-7, CC-8), and in an
   * atomic section (S29), where a wait could be for the caller itself.
   *
   * @param entry the device
   */
  public void remove(DeviceEntry entry) {
    if (Contract.inAtomic()) {
      String text = "unregistered in a callback that must not sleep";
      contract.report("S29", entry.name(), text, List.of());
      hotplug.unregisterQueued(entry);
    } else {
      tryFromOutside(entry);
      hotplug.unregister(entry, Form.RECORD);
    }
  }

  /** While checking is on, calls a device that is to go from another thread (S30). */
  private void tryFromOutside(DeviceEntry entry) {
    if (contract.checking()) {
      long reportNs = config.limits().reportNs();
      LockCheck.removal(hotplug, contract, entry, reportNs, waits.deadlineNs());
    }
  }

  @Override
  public DeviceRegistration register(DriverDevice device) {
    IbInvalidException.given(device, "DriverRegistry.register", "device");
    contract.requireOutside(device.name(), "DriverRegistry", "register");
    DeviceEntry entry = announce(device);
    bringUp(entry);
    return new DeviceRegistration() {
      @Override
      public void unregister() {
        contract.tellInside(entry.name(), entry, "unregister");
        tryFromOutside(entry);
        hotplug.unregister(entry, Form.THROW);
      }

      @Override
      public void withdraw() {
        remove(entry);
      }

      @Override
      public void unregisterQueued() {
        hotplug.unregisterQueued(entry);
      }
    };
  }

  // ---- clients ----

  /**
   * Takes a client's name and place; nothing of it is called yet.
   *
   * @param client the client
   * @param name its name
   * @param after names of clients to be added before it (S41)
   * @param rank key of the order of adds, or null for: after all that are there
   * @return the entry, to be attached
   */
  public ClientEntry announce(
      IbClient client, String name, List<String> after, @Nullable Long rank) {
    return hotplug.announce(client, name, after, rank);
  }

  /**
   * Adds a client to all devices (S37).
   *
   * @param client an announced client
   */
  public void attach(ClientEntry client) {
    hotplug.attach(client);
  }

  /**
   * Removes a client whose service goes from all devices (S38, I4); see {@link
   * #remove(DeviceEntry)}.
   *
   * @param client the client
   */
  public void remove(ClientEntry client) {
    if (Contract.inAtomic()) {
      String text = "unregistered in a callback that must not sleep";
      contract.report("S29", client.name(), text, List.of());
      hotplug.unregisterClientQueued(client);
    } else {
      hotplug.unregisterClient(client, Form.RECORD);
    }
  }

  /**
   * Considers a client again where it was rejected (CC-5).
   *
   * @param client the client
   */
  public void rebind(ClientEntry client) {
    hotplug.rebind(client, Form.RECORD);
  }

  @Override
  public ClientRegistration registerClient(IbClient client, String... after) {
    String name = IbInvalidException.given(client, "IbCore.registerClient", "client").name();
    IbInvalidException.given(after, "IbCore.registerClient", "after");
    contract.requireOutside(name, "IbCore", "registerClient");
    ClientEntry entry = announce(client, name, List.of(after), null);
    attach(entry);
    return new ClientRegistration() {
      @Override
      public void unregister() {
        contract.tellInside(name, name, "unregister");
        hotplug.unregisterClient(entry, Form.THROW);
      }

      @Override
      public void rebind() {
        contract.tellInside(name, name, "rebind");
        hotplug.rebind(entry, Form.THROW);
      }
    };
  }

  @Override
  public List<DeviceInfo> devices() {
    return hotplug.devices().stream().map(DeviceEntry::info).toList();
  }

  @Override
  public Optional<IbDevice> device(String name) {
    return port(name).map(DevicePort::reader);
  }

  private Optional<DevicePort> port(String name) {
    return hotplug.find(IbInvalidException.given(name, "IbCore", "device")).map(ports::get);
  }

  @Override
  public DeviceLease lease(String name, String holder) {
    IbInvalidException.given(name, "IbCore.lease", "name");
    IbInvalidException.given(holder, "IbCore.lease", "holder");
    contract.requireMaySleep(holder, "IbCore", "lease");
    return hotplug.lease(name, holder);
  }

  @Override
  public List<ClientStatus> clients() {
    return hotplug.clients();
  }

  @Override
  public List<ResourceRecord> resources() {
    return ports.values().stream()
        .map(DevicePort::objects)
        .filter(ObjectTable.class::isInstance)
        .flatMap(t -> t.resources().stream())
        .toList();
  }

  @Override
  public Map<String, Long> counters(String device, int port) {
    return ops("counters", device).counters(port);
  }

  @Override
  public Map<String, Long> managementCounters(String device, int port) {
    return live("managementCounters", device).managementCounters(port);
  }

  @Override
  public Map<PortCounter, Long> portCounters(String device, int port, PortCounter.Form form) {
    IbInvalidException.given(form, "IbCore.portCounters", "form");
    return ops("portCounters", device).portCounters(port, form);
  }

  @Override
  public void resetPortCounters(
      String device, int port, PortCounter.Form form, Set<PortCounter> which) {
    IbInvalidException.given(form, "IbCore.resetPortCounters", "form");
    IbInvalidException.given(which, "IbCore.resetPortCounters", "which");
    ops("resetPortCounters", device).resetPortCounters(port, form, which);
  }

  @Override
  public Map<String, Long> eventCounters(String device) {
    return live("eventCounters", device).eventCounters();
  }

  private DeviceOps ops(String method, String device) {
    return live(method, device).driver().ops();
  }

  private DevicePort live(String method, String device) {
    return port(device).orElseThrow(() -> none(method, device));
  }

  private static IbNoDeviceException none(String method, String device) {
    return new IbNoDeviceException(method + " " + device, "no such device", "ibv_devices");
  }

  @Override
  public Optional<RemovalReport> lastRemoval(String device) {
    return hotplug.lastRemoval(IbInvalidException.given(device, "IbCore", "device"));
  }

  /** {@return where violations are reported, for checkers outside of the midlayer} */
  public ContractReports reports() {
    return contract;
  }

  @Override
  public List<Violation> violations() {
    return contract.violations();
  }

  @Override
  public void rename(String device, String newName) {
    IbInvalidException.given(device, "IbCore.rename", "device");
    IbInvalidException.given(newName, "IbCore.rename", "newName");
    contract.tellInside(device, "IbCore", "rename");
    DeviceEntry entry = hotplug.find(device).orElseThrow(() -> none("rename", device));
    hotplug.rename(entry, newName, Form.THROW);
  }

  /**
   * Renames a device whose service says so.
   *
   * @param entry the device
   * @param newName a free name
   */
  public void rename(DeviceEntry entry, String newName) {
    hotplug.rename(entry, newName, Form.RECORD);
  }

  /** Removes everything and ends all threads; nothing new is accepted. */
  @Override
  public void close() {
    arrivals.drain(); // what was handed over goes with the rest
    hotplug.close();
    ports.clear();
    mad.close();
    hub.close();
    pool.close(waits);
    shared.statistics().close();
  }
}
