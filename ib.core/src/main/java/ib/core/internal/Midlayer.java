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
import ib.core.internal.event.EventConfig;
import ib.core.internal.event.EventHub;
import ib.core.internal.hotplug.DeviceEntry;
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
import ib.core.verbs.PortCounter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
  private final DeviceSide devices;
  private final ClientSide clients;
  private final MadClient mad;
  private final Arrivals arrivals;
  private volatile CoreConfig config;

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
    CoreLog log = new CoreLog(contract, () -> arrivals().freed());
    hub = new EventHub(EventConfig.DEFAULT, log, new HandlerSection(), waits);
    DeviceParts.Common common =
        new DeviceParts.Common(contract, pool, () -> config.quotas(), waits);
    shared =
        new DevicePort.Shared(
            Set.of(MadClient.NAME, SaLayer.NAME), common, hub, () -> config.limits().reportNs());
    waits.deadlineNs(limits.deadlineNs());
    hotplug = new Hotplug(waits, Contract::inAtomic, limits, log);
    devices = new DeviceSide(hotplug, contract, waits, shared);
    clients = new ClientSide(hotplug, contract);
    mad = new MadClient(contract, waits);
    arrivals = new Arrivals(contract, mad.world()::execute, waits);
    addOwn(mad, MadClient.NAME, List.of()); // before all others (M1)
    addOwn(new SaLayer(mad.world()), SaLayer.NAME, List.of(MadClient.NAME));
  }

  private void addOwn(IbClient client, String name, List<String> after) {
    clients.attach(clients.announce(client, name, after, FIRST));
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

  /** {@return the side that faces drivers} */
  public DeviceSide deviceSide() {
    return devices;
  }

  /** {@return the side that faces clients} */
  public ClientSide clientSide() {
    return clients;
  }

  @Override
  public DeviceRegistration register(DriverDevice device) {
    return devices.register(device);
  }

  @Override
  public ClientRegistration registerClient(IbClient client, String... after) {
    return clients.register(client, after);
  }

  @Override
  public void rename(String device, String newName) {
    devices.rename(device, newName);
  }

  @Override
  public List<DeviceInfo> devices() {
    return hotplug.devices().stream().map(DeviceEntry::info).toList();
  }

  @Override
  public Optional<IbDevice> device(String name) {
    return devices.port(name).map(DevicePort::reader);
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
    return devices.all().stream()
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
    return devices.live("managementCounters", device).managementCounters(port);
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
    return devices.live("eventCounters", device).eventCounters();
  }

  private DeviceOps ops(String method, String device) {
    return devices.live(method, device).driver().ops();
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

  /** Removes everything and ends all threads; nothing new is accepted. */
  @Override
  public void close() {
    arrivals.drain(); // what was handed over goes with the rest
    hotplug.close();
    devices.clear();
    mad.close();
    hub.close();
    pool.close(waits);
    shared.close();
  }
}
