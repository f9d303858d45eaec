package ib.driver.rxe;

import ib.core.client.DeviceLease;
import ib.core.serial.Waits;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DeviceSlot;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.driver.base.Announcer;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import ib.driver.base.Slot;
import ib.driver.rxe.udp.LocalWires;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The driver and a midlayer, without a framework, on loopback addresses; its devices send each
 * other datagrams unless a test configures otherwise. Beneath the door, {@code RxeHost}: these
 * tests change what the driver sees of the host and read what the driver reports, which no user of
 * the door sees.
 */
final class RxeLab implements AutoCloseable, Announcer<RxeConfig> {
  final StandaloneCore midlayer = StandaloneCore.create();
  final List<String> errors = new CopyOnWriteArrayList<>();
  final List<String> warnings = new CopyOnWriteArrayList<>();
  final Map<String, RxeDevice> running = new ConcurrentHashMap<>();
  volatile Host host = Host.REAL;
  private final LocalWires local = new LocalWires();
  final Devices<RxeConfig> devices =
      new Devices<>(
          RxeReader::read,
          config -> RxeDevice.plug(config, local, c -> host.look(c), "0", warnings::add),
          this,
          (text, why) -> errors.add(text));
  private final List<RxeSide> sides = new ArrayList<>();
  private final List<DeviceLease> leases = new ArrayList<>();

  /** Configures a device and waits until it is as configured. */
  RxeLab configure(String name, Object... keysAndValues) {
    ask(name, keysAndValues);
    slot(name).quiesce();
    return this;
  }

  /** Configures a device. */
  void ask(String name, Object... keysAndValues) {
    Map<String, Object> values = new HashMap<>(Map.of("local", "wire"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    devices.configure("ib.driver.rxe~" + name, values);
  }

  /** Deletes the configuration of a device and waits until it is gone. */
  void delete(String name) {
    devices.delete("ib.driver.rxe~" + name);
    long start = System.nanoTime();
    while (devices.slots().stream().anyMatch(s -> s.pid().endsWith("~" + name))) {
      if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
        throw new AssertionError(name + " does not go");
      }
      Thread.onSpinWait();
    }
  }

  Slot<RxeConfig> slot(String name) {
    return devices.slots().stream()
        .filter(s -> s.pid().endsWith("~" + name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(errors + " " + warnings));
  }

  /** A handle that is good until the lab is closed. */
  IbDevice lease(String name) {
    if (!running.containsKey(name)) {
      throw new AssertionError(name + " is not there: " + errors + warnings);
    }
    DeviceLease lease = midlayer.core().lease(name, "test");
    leases.add(lease);
    return lease.device();
  }

  /** Gives all handles back. */
  void release() {
    leases.forEach(DeviceLease::close);
    leases.clear();
  }

  /** One end, on a device that is leased until the lab is closed. */
  RxeSide side(String name) {
    return keep(new RxeSide(lease(name)));
  }

  /** Closes it before the device goes. */
  RxeSide keep(RxeSide side) {
    sides.add(side);
    return side;
  }

  @Override
  public Optional<IbExistsException> conflict(String pid, RxeConfig config) {
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

  @Override
  public Runnable announce(Plugged<RxeConfig> plugged) {
    RxeDevice device = (RxeDevice) plugged;
    running.put(device.name(), device);
    DeviceRegistration registration = midlayer.drivers().register(device);
    return () -> {
      registration.unregister();
      running.remove(device.name());
    };
  }

  @Override
  public void close() {
    sides.forEach(RxeSide::close);
    leases.forEach(DeviceLease::close);
    devices.stop();
    midlayer.close();
  }
}
