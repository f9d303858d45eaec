package ib.driver.soft;

import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.NodeType;
import ib.driver.base.Announcer;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import ib.driver.base.Slot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A device without an engine, and a registry without a framework, that write down what is done to
 * them.
 */
final class FakeDevice extends DriverDevice implements Plugged<SoftConfig> {
  private final World world;
  private final SoftConfig config;

  private FakeDevice(World world, SoftConfig config) {
    super(new DeviceInfo(config.name(), 0, NodeType.CA, config.guid(), config.guid(), 1, "fake"));
    this.world = world;
    this.config = config;
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
  public void change(SoftConfig now) {
    world.log.add("change " + now.name() + " " + now.linkUp() + " " + now.pkeys());
  }

  @Override
  public void unplug() {
    world.log.add("down " + config.name());
  }

  /** Registry, factory and log. */
  static final class World implements Announcer<SoftConfig>, Plugged.Factory<SoftConfig> {
    final List<String> log = new CopyOnWriteArrayList<>();
    final List<String> errors = new CopyOnWriteArrayList<>();
    final Map<String, DeviceSlot> slots = new ConcurrentHashMap<>();
    final Map<String, Boolean> told = new ConcurrentHashMap<>();
    final Map<String, String> elsewhere = new ConcurrentHashMap<>();
    volatile Consumer<String> inAdd = name -> {};
    volatile Consumer<String> inRemove = name -> {};
    volatile Consumer<String> inBuild = name -> {};
    final Devices<SoftConfig> devices =
        new Devices<>(ConfigReader::read, this, this, (text, why) -> errors.add(text));

    @Override
    public Plugged<SoftConfig> plug(SoftConfig config) {
      inBuild.accept(config.name());
      log.add("up " + config.name());
      return new FakeDevice(this, config);
    }

    @Override
    public Optional<IbExistsException> conflict(String pid, SoftConfig config) {
      return Optional.ofNullable(elsewhere.get(config.name()))
          .map(user -> Devices.inUse(pid, "name", config.name(), user));
    }

    @Override
    public Offer offer(DeviceSlot slot) {
      String name = slot.name();
      slots.put(name, slot);
      return new Offer() {
        @Override
        public void plugged(boolean in) {
          told.put(name, in);
        }

        @Override
        public void end() {
          slots.remove(name);
          told.remove(name);
        }
      };
    }

    @Override
    public Runnable announce(Plugged<SoftConfig> plugged) {
      String name = plugged.device().name();
      log.add("announce " + name);
      inAdd.accept(name);
      return () -> {
        inRemove.accept(name);
        log.add("withdraw " + name);
      };
    }

    void configure(String pid, Object... keysAndValues) {
      Map<String, Object> values = new ConcurrentHashMap<>();
      for (int i = 0; i < keysAndValues.length; i += 2) {
        values.put((String) keysAndValues[i], keysAndValues[i + 1]);
      }
      devices.configure("ib.driver.soft~" + pid, values);
    }

    void delete(String pid) {
      devices.delete("ib.driver.soft~" + pid);
    }

    void quiesce() {
      devices.slots().forEach(Slot::quiesce);
    }

    List<String> take() {
      quiesce();
      List<String> taken = List.copyOf(log);
      log.clear();
      return taken;
    }
  }
}
