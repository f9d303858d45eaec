package ib.driver.base;

import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.NodeType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A driver of devices that do nothing but write down what is done to them. */
final class Bench implements Announcer<Bench.Config>, Plugged.Factory<Bench.Config> {
  static final String PID = "ib.driver.test";

  /** Name and GUID cannot be changed while a device runs, the colour can. */
  record Config(String name, long guid, String colour) implements DeviceConfig<Config> {
    static Config read(String instance, Map<String, ?> raw) {
      Settings s = new Settings(raw, Set.of("name", "guid", "colour"));
      String name = s.label("name", instance);
      String colour = s.label("colour", "red");
      s.end(instance);
      return new Config(name, name.hashCode(), colour);
    }

    @Override
    public boolean liveChangeOf(Config running) {
      return name.equals(running.name);
    }

    @Override
    public boolean sharesGuidWith(Config other) {
      return guid == other.guid;
    }
  }

  /** A device. */
  private final class Fake extends DriverDevice implements Plugged<Config> {
    private final String name;

    Fake(Config config) {
      super(new DeviceInfo(config.name(), 0, NodeType.CA, config.guid(), config.guid(), 1, "fake"));
      name = config.name();
    }

    @Override
    public DeviceOps ops() {
      throw new UnsupportedOperationException("a fake");
    }

    @Override
    public DriverDevice device() {
      return this;
    }

    @Override
    public void change(Config config) {
      log.add("change " + name + " " + config.colour());
    }

    @Override
    public void unplug() {
      log.add("down " + name);
    }
  }

  final List<String> log = new CopyOnWriteArrayList<>();
  final List<String> errors = new CopyOnWriteArrayList<>();
  final Map<String, DeviceSlot> offered = new ConcurrentHashMap<>();
  volatile UnaryOperator<Config> building = config -> config;
  volatile Consumer<String> adding = name -> {};
  volatile Consumer<String> telling = text -> {};
  volatile Runnable asking = () -> {};
  volatile Waits waits = new BoundedWaits();
  final Devices<Config> devices =
      new Devices<>(Config::read, this, this, (text, why) -> errors.add(text));

  @Override
  public Plugged<Config> plug(Config config) {
    Fake made = new Fake(building.apply(config));
    log.add("up " + config.name());
    return made;
  }

  @Override
  public Optional<IbExistsException> conflict(String pid, Config config) {
    asking.run();
    return Optional.empty();
  }

  @Override
  public Waits waits() {
    return waits;
  }

  @Override
  public Offer offer(DeviceSlot slot) {
    String name = slot.name();
    offered.put(name, slot);
    return new Offer() {
      @Override
      public void plugged(boolean in) {
        String text = name + (in ? " in" : " out");
        log.add(text);
        telling.accept(text);
      }

      @Override
      public void end() {
        offered.remove(name);
      }
    };
  }

  @Override
  public Runnable announce(Plugged<Config> plugged) {
    String name = plugged.device().name();
    log.add("announce " + name);
    adding.accept(name);
    return () -> log.add("withdraw " + name);
  }

  void configure(String instance, String... keysAndValues) {
    Map<String, Object> values = new ConcurrentHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    devices.configure(PID + "~" + instance, values);
  }

  /** Waits until something was done; whoever calls it has a time limit. */
  void until(String done) {
    until(() -> log.contains(done));
  }

  /** The same for anything. */
  void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** {@return what was done since the last time, when all is done} */
  List<String> take() {
    devices.slots().forEach(Slot::quiesce);
    List<String> taken = List.copyOf(log);
    log.clear();
    return taken;
  }
}
