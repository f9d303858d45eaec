package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.DriverRegistry;
import ib.core.testing.FakeDevice;
import ib.core.testing.Thrown;
import ib.core.verbs.IbDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.slf4j.LoggerFactory;

/** Services whose own code fails, and what the log says of them, on a real Felix. */
class ForeignServicesTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("ib.core");

  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private Bundle foreign;
  private @Nullable IbCoreComponent component;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    foreign = framework.bundle("foreign");
    lines.start();
    LOGGER.setAdditive(false);
    LOGGER.addAppender(lines);
  }

  @AfterEach
  void stop() throws Exception {
    if (component != null) {
      component.stop();
    }
    LOGGER.detachAppender(lines);
    LOGGER.setAdditive(true);
    framework.close();
  }

  private ServiceRegistration<IbClient> client(Supplier<@Nullable String> name, Object... after) {
    Hashtable<String, Object> properties = new Hashtable<>();
    if (after.length > 0) {
      properties.put(IbClient.AFTER, after[0]);
    }
    return foreign.getBundleContext().registerService(IbClient.class, new Named(name), properties);
  }

  /** A client whose name is foreign code. */
  private final class Named implements IbClient {
    private final Supplier<@Nullable String> name;

    Named(Supplier<@Nullable String> name) {
      this.name = name;
    }

    @Override
    @SuppressWarnings("NullAway") // a client that is not checked can return null
    public String name() {
      return name.get();
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      log.add("add " + name() + " " + device.name());
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      log.add("remove " + name() + " " + device.name());
    }
  }

  private List<String> said(String part) {
    return lines.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(m -> m.contains(part))
        .toList();
  }

  @Test
  @DisplayName("a client whose name() fails is refused, whenever it comes; the core starts without")
  void nameFails() throws Exception {
    client(
        () -> {
          throw new IllegalStateException("planted state");
        });
    client(
        () -> {
          throw new NoClassDefFoundError("planted/Missing");
        });
    client(
        () -> {
          throw Thrown.<RuntimeException>sneak(new Exception("planted checked"));
        });
    client(
        () -> {
          throw new OutOfMemoryError("planted heap");
        });
    client(() -> null);
    client(() -> "good");
    context.registerService(IbDevice.class, new FakeDevice("d"), null);
    component = new IbCoreComponent(context, Map.of());
    assertEquals(List.of("add good d"), log);
    assertNotNull(context.getServiceReference(IbCore.class));
    client(
        () -> {
          throw new IllegalStateException("planted later");
        });
    String[] planted = {
      "planted state",
      "planted/Missing",
      "planted checked",
      "planted heap",
      "is null",
      "planted later"
    };
    for (String why : planted) {
      List<String> refusals = said(why);
      assertEquals(1, refusals.size(), why);
      assertTrue(refusals.getFirst().contains("foreign"), refusals.getFirst());
      assertTrue(refusals.getFirst().contains("Try: "), refusals.getFirst());
    }
  }

  @Test
  @DisplayName("a refusal names the bundle of a service that has gone meanwhile")
  void goneMeanwhile() throws Exception {
    AtomicReference<ServiceRegistration<IbClient>> own = new AtomicReference<>();
    own.set(
        client(
            () -> {
              own.get().unregister();
              throw new IllegalStateException("planted gone");
            }));
    component = new IbCoreComponent(context, Map.of());
    List<String> refusals = said("planted gone");
    assertEquals(1, refusals.size());
    assertTrue(
        refusals.getFirst().startsWith("a client of bundle foreign is refused: "),
        refusals.getFirst());
  }

  @Test
  @DisplayName("S41: an ib.client.after that names no clients is ignored; the log says whose it is")
  void afterOfAnotherType() throws Exception {
    client(() -> "a", 5);
    client(() -> "b", (Object) new String[] {"x", null});
    client(() -> "c", Arrays.asList("x", null));
    client(() -> "d", List.of("x"));
    component = new IbCoreComponent(context, Map.of());
    context.registerService(IbDevice.class, new FakeDevice("dev"), null);
    assertEquals(List.of("add a dev", "add b dev", "add c dev", "add d dev"), log);
    String rest = " and is ignored. Try: a String, String[] or list of client names";
    assertEquals(
        List.of(
            "client a of bundle foreign: property ib.client.after is 5 (Integer)" + rest,
            "client b of bundle foreign: property ib.client.after is [x, null] (String[])" + rest,
            "client c of bundle foreign: property ib.client.after is [x, null] (ArrayList)" + rest),
        said("ib.client.after"));
  }

  @Test
  @DisplayName("a framework property that is not set: the log says what follows and what to set")
  void missingProperties() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    assertEquals(
        List.of(
            "framework property ds.lock.timeout.milliseconds is not set: set it to 600000; without"
                + " it Felix SCR stops waiting for a slow activation after 5000 ms",
            "framework property org.apache.felix.eventadmin.Timeout is not set: set it to 0;"
                + " without it Felix EventAdmin calls an event handler no more that has taken"
                + " longer than 5000 ms"),
        said("framework property"));
  }

  @Test
  @DisplayName("an ib.client.after with a null in it does not keep the core from starting")
  void nullInAfter() throws Exception {
    client(() -> "odd", (Object) new String[] {"x", null});
    client(() -> "good");
    component = new IbCoreComponent(context, Map.of());
    context.registerService(IbDevice.class, new FakeDevice("d"), null);
    assertTrue(log.contains("add good d"), log.toString());
  }

  @Test
  @DisplayName("a start that fails leaves nothing behind: no service, no listener, no client added")
  void startFails() throws Exception {
    client(() -> "a");
    context.registerService(IbDevice.class, new FakeDevice("d"), null);
    BundleContext failing =
        (BundleContext)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {BundleContext.class},
                (self, method, args) -> {
                  if (method.getName().equals("registerService")
                      && DriverRegistry.class.equals(args[0])) {
                    throw new IllegalStateException("planted");
                  }
                  try {
                    return method.invoke(context, args);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    assertThrows(
        IllegalStateException.class, () -> component = new IbCoreComponent(failing, Map.of()));
    assertEquals(List.of("add a d", "remove a d"), log);
    assertNull(context.getServiceReference(IbCore.class));
    context.registerService(IbDevice.class, new FakeDevice("late"), null);
    assertEquals(List.of("add a d", "remove a d"), log);
  }
}
