package ib.tools.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.FakeDevice;
import ib.tools.testing.Rxe;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 2, section 4: ibv_asyncwatch")
class AsyncwatchTest {
  private final FakeDevice device = Rxe.hca("soft0", 0, 1);
  private final FakeCore core = new FakeCore(device);
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Its first line appears when it listens; that is when this output calls. */
  private PrintStream outThat(Runnable listening) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8) {
      private boolean called;

      @Override
      public void println(String line) {
        super.println(line);
        if (!called) {
          called = true;
          listening.run();
        }
      }
    };
  }

  private void raise(EventType type, int port, long sequence) {
    device.raise(new IbEvent(device, type, null, port, sequence, 1));
  }

  @Test
  @DisplayName("prints events as the original does, and ends after -n; nothing is left")
  void events() {
    PrintStream out =
        outThat(
            () -> {
              raise(EventType.PORT_ERR, 1, 1);
              raise(EventType.DEVICE_FATAL, 0, 2);
              raise(EventType.PORT_ACTIVE, 1, 3);
            });
    assertNull(Asyncwatch.run(core, out, "-n", "2"));
    assertEquals(
        """
        soft0: async event FD -1
          event_type IBV_EVENT_PORT_ERR (10), port 1
          event_type IBV_EVENT_DEVICE_FATAL (8), port 0
        """,
        bytes.toString(StandardCharsets.UTF_8));
    assertEquals(0, device.handlers.size());
    assertEquals(0, core.registered());
  }

  @Test
  @DisplayName("-q returns the events instead")
  void quiet() throws Exception {
    CompletableFuture<Object> watch =
        CompletableFuture.supplyAsync(
            () -> Asyncwatch.run(core, System.out, "-q", "-n1", "-dsoft0"));
    while (device.handlers.isEmpty() && !watch.isDone()) {
      Thread.onSpinWait();
    }
    raise(EventType.LID_CHANGE, 1, 7);
    Listing<?> events = assertInstanceOf(Listing.class, watch.get(10, TimeUnit.MINUTES));
    assertEquals(new EventRow("soft0", "IBV_EVENT_LID_CHANGE", 11, 1, 7), events.getFirst());
    assertEquals("  event_type IBV_EVENT_LID_CHANGE (11), port 1", events.text());
  }

  @Test
  @DisplayName("S31: the removal of the device ends it, and it delays nothing")
  void removal() {
    PrintStream out = outThat(() -> core.remove(device));
    CommandException e = assertThrows(CommandException.class, () -> Asyncwatch.run(core, out));
    assertEquals("IB device soft0 was removed", e.getMessage());
    assertEquals(0, device.handlers.size());
    assertEquals(0, core.registered());
  }

  @Test
  @DisplayName("Ctrl-C ends it like a success")
  void interrupt() {
    PrintStream out = outThat(() -> Thread.currentThread().interrupt());
    assertNull(Asyncwatch.run(core, out));
    assertEquals(0, core.registered());
  }

  @Test
  void wrongOptions() {
    assertEquals(Usage.of("ibv_asyncwatch"), Asyncwatch.run(core, System.out, "-h"));
    assertEquals("IB device nosuch not found", failure("-d", "nosuch"));
    assertEquals(
        "ibv_asyncwatch: invalid option -- 'x'\n" + Usage.of("ibv_asyncwatch"), failure("-x"));
    assertEquals(
        "ibv_asyncwatch: option '--count' is '0', it must be a number, 1 or more\n"
            + Usage.of("ibv_asyncwatch"),
        failure("-n", "0"));
    core.devices.clear();
    assertEquals("IB device  not found", failure());
  }

  private String failure(String... args) {
    return assertThrows(CommandException.class, () -> Asyncwatch.run(core, System.out, args))
        .getMessage();
  }
}
