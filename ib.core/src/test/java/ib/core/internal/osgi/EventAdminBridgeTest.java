package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.Limits;
import ib.core.testing.Wait;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceListener;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;
import org.osgi.service.event.EventHandler;

/** How EventAdmins come and go, on a real Felix. */
@DisplayName("I5: the bridge to the EventAdmin holds no monitor in calls of the framework")
class EventAdminBridgeTest {
  @TempDir private Path storage;
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT);
  private Framework framework;
  private BundleContext context;
  private EventAdminBridge bridge;

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    bridge = new EventAdminBridge(context, midlayer.events());
    bridge.open();
  }

  @AfterEach
  void stop() throws Exception {
    midlayer.close();
    framework.close();
  }

  private static final class Admin implements EventAdmin {
    @Override
    public void postEvent(Event event) {}

    @Override
    public void sendEvent(Event event) {}
  }

  private void admin() {
    context.registerService(EventAdmin.class, new Admin(), null);
  }

  private int handlers() throws Exception {
    var all = context.getServiceReferences(EventHandler.class, null);
    return all.size();
  }

  /** In each event of an EventHandler service, waits for what another thread does. */
  private List<Throwable> whenHandler(int type, Runnable elsewhere) throws Exception {
    List<Throwable> wrong = new CopyOnWriteArrayList<>();
    AtomicReference<@Nullable Future<?>> once = new AtomicReference<>();
    ServiceListener listener =
        event -> {
          if (event.getType() == type && once.get() == null) {
            once.set(Wait.start(elsewhere));
            try {
              Wait.end(once.get());
            } catch (AssertionError e) {
              wrong.add(e);
            }
          }
        };
    context.addServiceListener(listener, "(objectClass=" + EventHandler.class.getName() + ")");
    return wrong;
  }

  @Test
  @DisplayName("a listener of the handler's registration may wait for another EventAdmin to come")
  void registering() throws Exception {
    List<Throwable> wrong = whenHandler(ServiceEvent.REGISTERED, this::admin);
    admin();
    assertEquals(List.of(), wrong);
    assertEquals(1, handlers());
    bridge.close();
    assertEquals(0, handlers());
  }

  @Test
  @DisplayName("a listener of the handler's end may wait for another thread that closes the bridge")
  void unregistering() throws Exception {
    admin();
    List<Throwable> wrong = whenHandler(ServiceEvent.UNREGISTERING, bridge::close);
    bridge.close();
    assertEquals(List.of(), wrong);
    assertEquals(0, handlers());
  }

  @Test
  @DisplayName("a bridge that is closed while its handler is being registered leaves none behind")
  void closedMeanwhile() throws Exception {
    List<Throwable> wrong = whenHandler(ServiceEvent.REGISTERED, bridge::close);
    admin();
    assertTrue(wrong.isEmpty(), wrong.toString());
    assertEquals(0, handlers());
  }
}
