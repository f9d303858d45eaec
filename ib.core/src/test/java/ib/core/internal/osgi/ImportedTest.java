package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.testing.FakeDevice;
import ib.core.verbs.IbDevice;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.hooks.service.ListenerHook;
import org.slf4j.LoggerFactory;

@DisplayName("A18: another host's service is no client and no device of this midlayer")
class ImportedTest {
  private static final Hashtable<String, Object> IMPORTED =
      new Hashtable<>(Map.of(Constants.SERVICE_IMPORTED, "true"));

  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private final List<String> wishes = new CopyOnWriteArrayList<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  /** What an implementation of Remote Services sees: the filters by which bundles wait. */
  private final class Importer implements ListenerHook {
    @Override
    public void added(Collection<ListenerInfo> listeners) {
      listeners.stream().map(ListenerInfo::getFilter).forEach(f -> wishes.add("" + f));
    }

    @Override
    public void removed(Collection<ListenerInfo> listeners) {}
  }

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    context.registerService(ListenerHook.class, new Importer(), null);
    log.start();
    logger().addAppender(log);
    component = new IbCoreComponent(context, Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    logger().detachAppender(log);
    component.stop();
    framework.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("ib.core");
  }

  @Test
  @DisplayName("an imported client is not asked for its name, an imported device not probed")
  void refused() {
    IbClient remote =
        new IbClient() {
          @Override
          public String name() {
            return fail("asked over the network");
          }

          @Override
          public @Nullable Object add(IbDevice device) {
            return fail("asked over the network");
          }

          @Override
          public void remove(IbDevice device, @Nullable Object clientData) {
            fail("asked over the network");
          }
        };
    context.registerService(IbClient.class, remote, IMPORTED).unregister();
    context.registerService(IbClient.class, remote, IMPORTED);
    context.registerService(IbDevice.class, new FakeDevice("far"), IMPORTED);
    IbCore core = context.getService(context.getServiceReference(IbCore.class));
    assertEquals(List.of("mad", "sa"), core.clients().stream().map(ClientStatus::name).toList());
    assertTrue(core.devices().isEmpty());
    List<String> said =
        log.list.stream()
            .map(ILoggingEvent::getFormattedMessage)
            .filter(text -> text.contains("it is imported"))
            .map(text -> text.substring(0, text.indexOf(' ')))
            .toList();
    assertEquals(List.of("IbClient", "IbClient", "IbDevice"), said);
  }

  @Test
  @DisplayName("no listener of the core tells an importer that it waits for a service")
  void wishes() {
    assertTrue(wishes.stream().anyMatch(f -> f.contains("IbClient")), wishes.toString());
    assertEquals(
        List.of(),
        wishes.stream()
            .filter(f -> f.contains("objectClass") && !f.contains("(!(service.imported=*))"))
            .toList());
  }
}
