package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.internal.CoreConfig;
import ib.core.internal.hotplug.Limits;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

@DisplayName("CC-19: the watchdog's times by configuration")
class WatchdogTimesTest {
  private static final long MS = 1_000_000;

  @Test
  @DisplayName(
      "CC-19: numbers and text, one of them or none; the deadline is never before the report")
  void read() {
    assertEquals(Limits.DEFAULT, CoreConfig.read(Map.of()).limits());
    assertEquals(
        new Limits(5 * MS, 60_000 * MS), CoreConfig.read(Map.of("callback_report_ms", 5)).limits());
    assertEquals(
        new Limits(90_000 * MS, 90_000 * MS),
        CoreConfig.read(Map.of("callback_report_ms", " 90000 ")).limits());
    Map<String, String> both = Map.of("callback_report_ms", "7", "callback_deadline_ms", "8");
    assertEquals(new Limits(7 * MS, 8 * MS), CoreConfig.read(both).limits());
  }

  @ParameterizedTest
  @CsvSource({
    "callback_report_ms, 0, from 1 to 3600000",
    "callback_report_ms, -5, from 1 to 3600000",
    "callback_report_ms, 10s, from 1 to 3600000",
    "callback_report_ms, 3600001, from 1 to 3600000",
    "callback_deadline_ms, 9999, from 10000 to 3600000",
    "callback_deadline_ms, 99999999999, from 10000 to 3600000"
  })
  @DisplayName("bad input: which key, what is wrong, what is allowed")
  void bad(String key, String value, String allowed) {
    var e = assertThrows(IbInvalidException.class, () -> CoreConfig.read(Map.of(key, value)));
    String said = e.getMessage();
    assertTrue(said.contains("key " + key + " is '" + value + "'"), said);
    assertTrue(said.contains(key + ": a whole number " + allowed), said);
  }

  /** A client whose remove does not return before the test lets it. */
  private record Stuck(CountDownLatch go) implements IbClient {
    @Override
    public String name() {
      return "stuck";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      Wait.on(go);
    }
  }

  @Test
  @DisplayName("CC-19: a change counts at once, without a restart; a bad one changes nothing")
  void live(@TempDir Path storage) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Framework framework = new Framework(storage);
    try {
      BundleContext context = framework.context();
      IbCoreComponent component = new IbCoreComponent(context, Map.of());
      context.registerService(IbClient.class, new Stuck(go), null);
      ServiceRegistration<IbDevice> device =
          context.registerService(IbDevice.class, new FakeDevice("fake0"), null);
      component.configure(Map.of("callback_report_ms", "1", "callback_deadline_ms", "2"));
      component.configure(Map.of("callback_report_ms", "soon"));
      Future<?> remover = Wait.start(device::unregister);
      IbCore core = context.getService(context.getServiceReference(IbCore.class));
      Wait.until(() -> core.lastRemoval("fake0").isPresent()); // by default it takes a minute
      String error = core.lastRemoval("fake0").orElseThrow().steps().getFirst().error();
      assertTrue(error.contains("did not return"), error);
      go.countDown();
      Wait.end(remover);
      component.stop();
    } finally {
      framework.close();
    }
  }
}
