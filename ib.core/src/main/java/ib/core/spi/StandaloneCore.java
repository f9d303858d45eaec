package ib.core.spi;

import ib.core.client.IbCore;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A midlayer without a framework: for tests of drivers and protocols in plain Java, for simulators
 * and for programs that embed one. Everything but the OSGi service registry and the EventAdmin is
 * the same code.
 */
@ProviderType
public interface StandaloneCore extends AutoCloseable {

  /** {@return a midlayer of its own, without devices and clients} */
  static StandaloneCore create() {
    return create(Map.of());
  }

  /**
   * A midlayer with limits of its own.
   *
   * @param configuration keys of {@code ib.core.cfg}, for example {@code client_allocated_mb}
   * @return the midlayer, without devices and clients
   * @throws ib.core.verbs.IbInvalidException which key, what is wrong, what is allowed
   */
  static StandaloneCore create(Map<String, ?> configuration) {
    // the loader of this class finds the provider of its own jar, also inside of a framework
    ClassLoader own = StandaloneCore.class.getClassLoader();
    return ServiceLoader.load(CoreProvider.class, own)
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("ib.core's jar has lost its META-INF/services"))
        .create(configuration);
  }

  /** {@return the clients' side} */
  IbCore core();

  /** {@return the drivers' side} */
  DriverRegistry drivers();

  /** Removes all devices and clients and ends all threads. */
  @Override
  @MaySleep
  @Fence
  void close();
}
