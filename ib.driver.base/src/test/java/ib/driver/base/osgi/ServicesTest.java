package ib.driver.base.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.testing.Thrown;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.NodeType;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Plugged;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

@DisplayName("S28: the services of a device come together and go together")
class ServicesTest {
  private final List<String> registered = new ArrayList<>();
  private final Set<String> refused = new HashSet<>(); // types that cannot be registered
  private final Set<String> stuck = new HashSet<>(); // types whose unregistration throws
  private Function<String, Throwable> thrown = IllegalStateException::new;
  private final Services<Config> services = new Services<>(context());

  private record Config(String name, long guid) implements DeviceConfig<Config> {
    @Override
    public boolean liveChangeOf(Config running) {
      return false;
    }

    @Override
    public boolean sharesGuidWith(Config other) {
      return false;
    }
  }

  private static final class Device extends DriverDevice implements Plugged<Config> {
    private final Map<Class<?>, Object> offers = new LinkedHashMap<>();

    Device() {
      super(new DeviceInfo("a", 0, NodeType.CA, 1, 1, 1, "fake"));
      offers.put(String.class, "one");
      offers.put(Integer.class, 2);
    }

    @Override
    public DeviceOps ops() {
      throw new UnsupportedOperationException("nobody uses it");
    }

    @Override
    public DriverDevice device() {
      return this;
    }

    @Override
    public Map<Class<?>, Object> offers() {
      return offers;
    }

    @Override
    public void change(Config config) {
      throw new UnsupportedOperationException("nobody changes it");
    }

    @Override
    public void unplug() {
      throw new UnsupportedOperationException("nobody unplugs it");
    }
  }

  private BundleContext context() {
    return proxy(
        BundleContext.class,
        arguments -> {
          String full = arguments[0] instanceof Class<?> c ? c.getName() : arguments[0].toString();
          String type = full.substring(full.lastIndexOf('.') + 1);
          if (refused.contains(type)) {
            throw Thrown.<RuntimeException>sneak(thrown.apply("register " + type));
          }
          registered.add(type);
          return proxy(
              ServiceRegistration.class,
              none -> {
                registered.remove(type);
                if (stuck.contains(type)) {
                  throw Thrown.<RuntimeException>sneak(thrown.apply("unregister " + type));
                }
                return null;
              });
        });
  }

  /** The only method that is called of each type. */
  private interface Call {
    Object to(Object... arguments);
  }

  private static <T> T proxy(Class<T> type, Call call) {
    Object made =
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (self, method, a) -> call.to(a));
    return type.cast(made);
  }

  @Test
  @DisplayName("S28: all are registered, IbDevice first, and unregistered")
  void together() {
    Runnable withdraw = services.announce(new Device());
    assertEquals(List.of("IbDevice", "String", "Integer"), registered);
    withdraw.run();
    assertEquals(List.of(), registered);
  }

  @Test
  @DisplayName("S28: no IbDevice stays registered when one of its offers is refused")
  void refused() {
    refused.add("Integer");
    stuck.add("String");
    Exception why =
        assertThrows(IllegalStateException.class, () -> services.announce(new Device()));
    assertEquals("register Integer", why.getMessage());
    assertEquals("unregister String", why.getSuppressed()[0].getMessage());
    assertEquals(List.of(), registered);
  }

  @Test
  @DisplayName("S28: a service that cannot be unregistered leaves no other one registered")
  void stuck() {
    Runnable withdraw = services.announce(new Device());
    stuck.add("Integer");
    stuck.add("IbDevice");
    Exception why = assertThrows(IllegalStateException.class, withdraw::run);
    assertEquals("unregister Integer", why.getMessage());
    assertEquals("unregister IbDevice", why.getSuppressed()[0].getMessage());
    assertEquals(List.of(), registered);
  }

  @Test
  @DisplayName("S28, D21: an Error of an offer, or of its end, leaves nothing registered")
  void errors() {
    Device device = new Device();
    device.offers.put(Long.class, 3L);
    thrown = NoClassDefFoundError::new;
    refused.add("Long");
    assertThrows(NoClassDefFoundError.class, () -> services.announce(device));
    assertEquals(List.of(), registered);
    refused.clear();
    Runnable withdraw = services.announce(device);
    stuck.add("Long");
    Exception why = assertThrows(IllegalStateException.class, withdraw::run);
    assertEquals(NoClassDefFoundError.class, why.getCause().getClass());
    assertEquals(List.of(), registered);
  }
}
