package ib.core.spi;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an open {@link StandaloneFabric}: a midlayer, the driver's devices under it, and the
 * client that owns the objects made through the fabric's handles.
 *
 * @param midlayer of the devices
 * @param own whether the fabric made the midlayer, and closes it
 * @param driver the devices
 * @param user the client
 * @param client the client's registration
 */
record OpenedFabric(
    StandaloneCore midlayer,
    boolean own,
    StandaloneDriver.Devices driver,
    User user,
    ClientRegistration client) {

  /** The program, as the midlayer sees it. */
  record User(String name, Set<String> wanted, Map<String, IbDevice> handles) implements IbClient {
    User(String name, Set<String> wanted) {
      this(name, wanted, new ConcurrentHashMap<>());
    }

    @Override
    public boolean supports(DeviceInfo device) {
      return wanted.contains(device.name());
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      handles.put(device.name(), device);
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      handles.values().remove(device);
    }

    @Override
    public void renamed(IbDevice device, @Nullable Object clientData, String oldName) {
      if (handles.remove(oldName, device)) {
        handles.put(device.name(), device);
      }
    }
  }

  /**
   * Opens everything, or nothing.
   *
   * @param from whose devices
   * @param options what they are
   * @param configurations of the devices
   */
  static OpenedFabric open(
      StandaloneDriver from,
      FabricOptions<?> options,
      Map<String, Map<String, Object>> configurations) {
    StandaloneCore shared = options.shared();
    StandaloneCore midlayer = shared == null ? StandaloneCore.create(options.midlayer) : shared;
    StandaloneDriver.Devices driver = null;
    boolean open = false;
    try {
      driver = from.open(midlayer.drivers(), options.medium);
      configurations.forEach(driver::configure);
      User user = new User("user of " + options, configurations.keySet());
      ClientRegistration client = midlayer.core().registerClient(user);
      open = true;
      return new OpenedFabric(midlayer, shared == null, driver, user, client);
    } finally {
      if (!open) {
        end(driver, shared == null ? midlayer : null);
      }
    }
  }

  /** Ends what is left when all devices are unplugged. */
  void end() {
    try {
      client.unregister();
    } finally {
      end(driver, own ? midlayer : null);
    }
  }

  private static void end(
      StandaloneDriver.@Nullable Devices driver, @Nullable StandaloneCore midlayer) {
    try {
      if (driver != null) {
        driver.close();
      }
    } finally {
      if (midlayer != null) {
        midlayer.close();
      }
    }
  }
}
