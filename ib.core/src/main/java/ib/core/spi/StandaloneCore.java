package ib.core.spi;

import ib.core.client.IbCore;
import ib.core.internal.CoreConfig;
import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.Limits;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.Map;

/**
 * A midlayer without a framework: for tests of drivers and protocols in plain Java, for simulators
 * and for programs that embed one. Everything but the OSGi service registry and the EventAdmin is
 * the same code.
 */
public final class StandaloneCore implements AutoCloseable {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT);

  private StandaloneCore(CoreConfig config) {
    midlayer.configure(config);
  }

  /** {@return a midlayer of its own, without devices and clients} */
  public static StandaloneCore create() {
    return create(Map.of());
  }

  /**
   * A midlayer with limits of its own.
   *
   * @param configuration keys of {@code ib.core.cfg}, for example {@code client_allocated_mb}
   * @return the midlayer, without devices and clients
   * @throws ib.core.verbs.IbInvalidException which key, what is wrong, what is allowed
   */
  public static StandaloneCore create(Map<String, ?> configuration) {
    return new StandaloneCore(CoreConfig.read(configuration));
  }

  /** {@return the clients' side} */
  public IbCore core() {
    return midlayer;
  }

  /** {@return the drivers' side} */
  public DriverRegistry drivers() {
    return midlayer;
  }

  /** Removes all devices and clients and ends all threads. */
  @Override
  @MaySleep
  @Fence
  public void close() {
    midlayer.close();
  }
}
