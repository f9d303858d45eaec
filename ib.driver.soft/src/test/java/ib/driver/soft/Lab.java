package ib.driver.soft;

import ib.core.client.DeviceLease;
import ib.core.client.ResourceRecord;
import ib.core.serial.Waits;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverDevice;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.driver.base.Announcer;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import ib.driver.base.Slot;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * The driver and a midlayer, without a framework. Beneath the door, {@code SoftFabric}: these tests
 * look into the fabric's switches and tables, put a disguise over a device and read what the driver
 * reports, which no user of the door sees.
 */
final class Lab implements AutoCloseable, Announcer<SoftConfig> {
  final StandaloneCore midlayer = StandaloneCore.create();
  final Fabric fabric = BuiltinSm.newFabric();
  final List<String> errors = new CopyOnWriteArrayList<>();
  final Devices<SoftConfig> devices =
      new Devices<>(
          ConfigReader::read,
          config -> SoftDevice.plug(fabric, config, "0"),
          this,
          (text, why) -> errors.add(text + " " + why));
  private final List<Side> sides = new ArrayList<>();
  private final List<DeviceLease> leases = new ArrayList<>();
  private final Map<String, SoftDevice> plugged = new ConcurrentSkipListMap<>();
  private boolean quiet;

  private UnaryOperator<DriverDevice> disguise = device -> device;
  private final List<FaultInjection> faults = new CopyOnWriteArrayList<>();

  private final List<PacketCapture> captures = new CopyOnWriteArrayList<>();

  private final List<QpDiagnosis> diagnoses = new CopyOnWriteArrayList<>();

  Lab(String... names) {
    for (String name : names) {
      configure(name);
    }
  }

  /** Registers something else in place of each device from now on. */
  Lab disguise(UnaryOperator<DriverDevice> other) {
    disguise = other;
    return this;
  }

  /** Registers nothing from now on: devices come and go without the midlayer. */
  Lab quiet() {
    quiet = true;
    return this;
  }

  /** {@return the devices that are plugged in and were not registered, by their names} */
  List<SoftDevice> plugged() {
    return List.copyOf(plugged.values());
  }

  /** Configures a device and waits until it is as configured. */
  void configure(String name, Object... keysAndValues) {
    Map<String, Object> values = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    devices.configure("ib.driver.soft~" + name, values);
    slot(name).quiesce();
  }

  Slot<SoftConfig> slot(String name) {
    return devices.slots().stream().filter(s -> s.pid().endsWith("~" + name)).findFirst().get();
  }

  /** What clients have made; the core's own management queue pairs are not among it (M2). */
  List<ResourceRecord> resources() {
    return midlayer.core().resources().stream().filter(r -> !r.owner().equals("ib_core")).toList();
  }

  /** A handle that is good until the lab is closed. */
  IbDevice lease(String name) {
    DeviceLease lease = midlayer.core().lease(name, "test");
    leases.add(lease);
    return lease.device();
  }

  /** One end, on a device that is leased until the lab is closed. */
  Side side(String name) {
    return side(lease(name), 1);
  }

  /** One more end on a device. */
  Side side(IbDevice device, int port) {
    Side side = new Side(device, port);
    sides.add(side);
    return side;
  }

  /** {@return the names of the driver's threads that run} */
  static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(n -> n.startsWith("ib-slot-") || n.startsWith("ib-") && n.endsWith("-engine"))
        .sorted()
        .toList();
  }

  @Override
  public Optional<IbExistsException> conflict(String pid, SoftConfig config) {
    return Optional.empty();
  }

  @Override
  public Waits waits() {
    return midlayer.drivers().waits();
  }

  @Override
  public Offer offer(DeviceSlot slot) {
    return new Offer() {
      @Override
      public void plugged(boolean in) {}

      @Override
      public void end() {}
    };
  }

  /** {@return the faults of all devices that were announced, in that order} */
  List<FaultInjection> faults() {
    return faults;
  }

  /** {@return the captures of all devices that were announced, in that order} */
  List<PacketCapture> captures() {
    return captures;
  }

  /** {@return what a device that was announced tells of its queue pairs} */
  QpDiagnosis diagnosis(String name) {
    return diagnoses.stream().filter(d -> d.device().equals(name)).findFirst().get();
  }

  @Override
  public Runnable announce(Plugged<SoftConfig> made) {
    DriverDevice device = made.device();
    if (quiet && device instanceof SoftDevice soft) {
      plugged.put(soft.name(), soft);
      return () -> plugged.remove(soft.name(), soft);
    }
    if (made.offers().get(FaultInjection.class) instanceof FaultInjection injection) {
      faults.add(injection);
    }
    if (made.offers().get(QpDiagnosis.class) instanceof QpDiagnosis diagnosis) {
      diagnoses.add(diagnosis);
    }
    if (made.offers().get(PacketCapture.class) instanceof PacketCapture capture) {
      captures.add(capture);
    }
    DeviceRegistration registration = midlayer.drivers().register(disguise.apply(device));
    return registration::unregister;
  }

  @Override
  public void close() {
    sides.forEach(Side::close);
    leases.forEach(DeviceLease::close);
    devices.stop();
    midlayer.close();
  }
}
