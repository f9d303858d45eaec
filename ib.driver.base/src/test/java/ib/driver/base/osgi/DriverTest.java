package ib.driver.base.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.spi.DeviceSlot;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Plugged;
import ib.driver.base.Settings;
import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceListener;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.slf4j.LoggerFactory;

@DisplayName("a driver's configurations, and the devices of other bundles")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DriverTest {
  private static final String PID = "ib.driver.test";

  private final List<ServiceListener> listeners = new CopyOnWriteArrayList<>();
  private final List<ServiceReference<IbDevice>> foreign = new CopyOnWriteArrayList<>();
  private final List<String> built = new CopyOnWriteArrayList<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private volatile Runnable asked = () -> {};
  private final TestDriver driver = new TestDriver(context());

  private record Config(String name, long guid) implements DeviceConfig<Config> {
    static Config read(String instance, Map<String, ?> raw) {
      Settings s = new Settings(raw, Set.of("name"));
      String name = s.label("name", instance);
      s.end(instance);
      return new Config(name, name.hashCode());
    }

    @Override
    public boolean liveChangeOf(Config running) {
      return false;
    }

    @Override
    public boolean sharesGuidWith(Config other) {
      return guid == other.guid;
    }
  }

  private final class TestDriver extends Driver<Config> {
    TestDriver(BundleContext context) {
      super(context, PID, "test devices", Config::read, DriverTest.this::build);
    }

    void end() {
      stop();
    }
  }

  private Plugged<Config> build(Config config) {
    built.add(config.name());
    throw new IllegalStateException("it is only counted");
  }

  @BeforeEach
  void listen() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void end() {
    driver.end();
    logger().detachAppender(log);
    assertEquals(List.of(), listeners, "what the driver listens to, afterwards");
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(TestDriver.class);
  }

  private List<String> said() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private BundleContext context() {
    return proxy(BundleContext.class, this::answer);
  }

  private @Nullable Object answer(String method, Object... arguments) {
    return switch (method) {
      case "addServiceListener" -> listeners.add((ServiceListener) arguments[0]) ? null : null;
      case "removeServiceListener" -> listeners.remove(arguments[0]) ? null : null;
      case "getServiceReferences" -> {
        asked.run();
        yield List.copyOf(foreign);
      }
      case "registerService" -> proxy(ServiceRegistration.class, (m, a) -> null);
      default -> null;
    };
  }

  /** Any method of a type. */
  private interface Call {
    @Nullable Object to(String method, Object... arguments);
  }

  private static <T> T proxy(Class<T> type, Call call) {
    Object made =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, a) ->
                switch (method.getName()) {
                  case "equals" -> System.identityHashCode(self) == System.identityHashCode(a[0]);
                  case "hashCode" -> System.identityHashCode(self);
                  case "toString" -> type.getSimpleName();
                  default -> call.to(method.getName(), a);
                });
    return type.cast(made);
  }

  @SuppressWarnings("unchecked")
  private static ServiceReference<IbDevice> device(String name) {
    return proxy(
        ServiceReference.class,
        (method, a) ->
            switch (method) {
              case "getBundle" -> proxy(Bundle.class, (m, none) -> null);
              case "getProperty" -> a[0].equals(DeviceSlot.DEVICE_NAME) ? name : null;
              default -> null;
            });
  }

  private void configure(String name) {
    driver.updated(PID + "~" + name, new Hashtable<>(Map.of("name", name)));
  }

  @Test
  @DisplayName("A10: a name that a device of another bundle has had is tried again when it is free")
  void again() {
    foreign.add(device("x"));
    configure("x");
    assertEquals(1, said().size(), said().toString());
    ServiceReference<IbDevice> going = foreign.getFirst();
    tell(new ServiceEvent(ServiceEvent.MODIFIED, going));
    assertEquals(1, said().size(), "a conflict that persists was said");
    foreign.clear();
    tell(new ServiceEvent(ServiceEvent.UNREGISTERING, going));
    Wait.until(() -> built.equals(List.of("x")));
  }

  private void tell(ServiceEvent event) {
    listeners.forEach(l -> l.serviceChanged(event));
  }

  @Test
  @DisplayName("A15: a configuration that comes while the bundle stops is refused without a word")
  void late() {
    asked =
        () -> {
          driver.end();
          throw new IllegalStateException("Invalid BundleContext.");
        };
    configure("x");
    assertEquals(List.of(), said());
    assertEquals(List.of(), built);
  }
}
