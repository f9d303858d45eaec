package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbDevice;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.Version;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

@DisplayName("The RoCEv2 driver's component")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeDriverTest {
  private static final List<String> PIDS =
      IntStream.range(0, 5).mapToObj(i -> RxeDriver.PID + "~rxe" + i).toList();

  private final List<String> registered = new CopyOnWriteArrayList<>();

  /** Something that answers some calls and all others with null. */
  private static <T> T fake(Class<T> type, Map<String, InvocationHandler> answers) {
    InvocationHandler other = (proxy, method, arguments) -> null;
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                answers.getOrDefault(method.getName(), other).invoke(proxy, method, arguments)));
  }

  private BundleContext context() {
    Bundle bundle =
        fake(
            Bundle.class, Map.of("getVersion", (proxy, method, arguments) -> new Version(1, 2, 3)));
    Configuration[] configured =
        PIDS.stream()
            .map(
                pid ->
                    fake(Configuration.class, Map.of("getPid", (proxy, method, arguments) -> pid)))
            .toArray(Configuration[]::new);
    ConfigurationAdmin admin =
        fake(
            ConfigurationAdmin.class,
            Map.of("listConfigurations", (proxy, method, arguments) -> configured));
    return fake(
        BundleContext.class,
        Map.of(
            "getBundle", (proxy, method, arguments) -> bundle,
            "getServiceReferences",
                (proxy, method, arguments) ->
                    arguments[0].equals(ConfigurationAdmin.class)
                        ? List.of(fake(ServiceReference.class, Map.of()))
                        : List.of(),
            "addServiceListener", (proxy, method, arguments) -> null,
            "removeServiceListener", (proxy, method, arguments) -> null,
            "getService", (proxy, method, arguments) -> admin,
            "ungetService", (proxy, method, arguments) -> true,
            "registerService",
                (proxy, method, arguments) -> {
                  if (arguments[0].equals(IbDevice.class)) {
                    registered.add(((IbDevice) arguments[1]).name());
                  }
                  return fake(ServiceRegistration.class, Map.of());
                }));
  }

  @RepeatedTest(3)
  @DisplayName("S39: at start devices are registered in the order of their PIDs, however they come")
  void order() {
    RxeDriver driver = new RxeDriver(context());
    for (int i = PIDS.size() - 1; i >= 0; i--) {
      Hashtable<String, Object> values = new Hashtable<>();
      values.put("address", "127.0.0." + (i + 1));
      driver.updated(PIDS.get(i), values);
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (registered.size() < PIDS.size()) {
      assertTrue(System.nanoTime() < end, "only " + registered);
      Thread.onSpinWait();
    }
    driver.deactivate();
    assertEquals(List.of("rxe0", "rxe1", "rxe2", "rxe3", "rxe4"), registered);
  }
}
