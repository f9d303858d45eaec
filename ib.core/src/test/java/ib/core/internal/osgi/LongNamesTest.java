package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.config.ConfigValues;
import ib.core.testing.FakeDevice;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import java.nio.file.Path;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.slf4j.LoggerFactory;

@DisplayName("A17: names and values of strangers are cut in what a person reads")
class LongNamesTest {
  private static final String LONG = "x".repeat(1_000_000);
  private static final int LINE = 5_000;

  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    log.start();
    root().addAppender(log);
    component = new IbCoreComponent(context, Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    component.stop();
    framework.close();
    root().detachAppender(log);
    for (ILoggingEvent line : List.copyOf(log.list)) {
      String text = line.getFormattedMessage();
      assertTrue(text.length() < LINE, () -> text.length() + ": " + text.substring(0, 200));
    }
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  private record Client(String name) implements IbClient {
    @Override
    public @Nullable Object add(IbDevice device) {
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {}
  }

  @Test
  @DisplayName("of a client, its order, a device, its new name: refused, in short lines")
  void names() {
    context.registerService(IbClient.class, new Client(LONG), null);
    Object[] after = {LONG, 5};
    context.registerService(
        IbClient.class, new Client("a"), new Hashtable<>(Map.of(IbClient.AFTER, after)));
    context.registerService(IbDevice.class, new FakeDevice(LONG), null);
    ServiceRegistration<IbDevice> d =
        context.registerService(IbDevice.class, new FakeDevice("d"), null);
    d.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, LONG)));
    IbCore core = context.getService(context.getServiceReference(IbCore.class));
    assertEquals(
        List.of("mad", "sa", "a"), core.clients().stream().map(ClientStatus::name).toList());
    assertEquals(List.of("d"), core.devices().stream().map(i -> i.name()).toList());
    assertTrue(log.list.stream().filter(l -> l.getLevel().levelStr.equals("ERROR")).count() >= 4);
  }

  @Test
  @DisplayName("of keys: an exception is no longer than a screen, however many keys are wrong")
  void keys() {
    ConfigValues values = new ConfigValues(Map.of());
    for (int i = 0; i < 10_000; i++) {
      values.refuse("key" + i, ConfigValues.shown(LONG), "another");
    }
    IbInvalidException why = assertThrows(IbInvalidException.class, () -> values.end("x"));
    assertTrue(why.getMessage().length() < LINE, () -> why.getMessage().length() + "");
    assertTrue(why.getMessage().contains("key key0 is"), why.getMessage());
  }
}
