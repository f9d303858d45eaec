package samples.kv.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.*;
import ib.kit.fabric.IbFabric;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import samples.kv.server.Server;
import samples.kv.server.ServerComponent;
import samples.kv.server.Table;

/** The server leaves nothing on its device, whatever fails: {@code @IbFabric} would tell. */
@IbFabric(devices = 1)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerComponentTest {
  private static final IllegalStateException STOPPING = new IllegalStateException("it stops");

  @Test
  @IbFabric(devices = 1, keys = "max_mr=8")
  void aTableThatCannotBeRegisteredLeavesNoProtectionDomain(IbDevice device) {
    List<IbObject> taken = new ArrayList<>();
    try (ProtectionDomain pd = device.allocPd()) {
      assertThrows(
          IbNoMemoryException.class,
          () -> {
            while (true) {
              taken.add(pd.allocMemory(64, 64, Access.LOCAL_WRITE));
            }
          });
      assertThrows(IbNoMemoryException.class, () -> new Server(device, new Table(1)).close());
      taken.forEach(IbObject::close);
    }
  }

  @Test
  void aServiceThatCannotBeRegisteredLeavesNoServer(IbDevice device) {
    ServerComponent component = component(refusing());
    assertEquals(STOPPING, assertThrows(RuntimeException.class, () -> component.add(device)));
  }

  @Test
  void aServiceThatIsGoneAlreadyDoesNotKeepTheServer(IbDevice device) {
    ServiceRegistration<?> service = proxy(ServiceRegistration.class, refusing());
    ServerComponent component = component((proxy, method, args) -> service);
    Object life = component.add(device);
    assertEquals(
        STOPPING, assertThrows(RuntimeException.class, () -> component.remove(device, life)));
  }

  private static InvocationHandler refusing() {
    return (proxy, method, args) -> {
      throw STOPPING;
    };
  }

  private static ServerComponent component(InvocationHandler framework) {
    InvocationHandler values =
        (proxy, method, args) -> method.getName().equals("device") ? "soft0" : 1;
    return new ServerComponent(
        proxy(BundleContext.class, framework), proxy(ServerComponent.Config.class, values));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
