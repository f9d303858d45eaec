package ib.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.testing.Left;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Job;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("what a command prints is shown at once, in the background too")
@Timeout(600)
class BackgroundTest {
  private final CountDownLatch listening = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** As the terminal's: shows nothing before it is flushed. */
  private final class Held extends OutputStream {
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
      held.write(b);
    }

    @Override
    public synchronized void flush() {
      if (held.toString(StandardCharsets.UTF_8).contains(": listening on ")) {
        listening.countDown();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ib_send_bw -d soft0 -p %d &", "ibv_rc_pingpong -d soft0 -p %d &"})
  @DisplayName("a server says that it listens, while it listens")
  void listens(String line) throws Exception {
    CommandProcessorImpl processor = new CommandProcessorImpl(null);
    Held held = new Held();
    try (SoftFabric fabric = SoftFabric.open("soft0");
        CommandSession session =
            processor.createSession(new ByteArrayInputStream(new byte[0]), held, held)) {
      CommandTable table = new IbCommands(fabric.core()).commands();
      table.names().forEach(name -> processor.addCommand("ib", table, name));
      session.setJobListener(
          (job, before, now) -> {
            if (now == Job.Status.Done) {
              ended.countDown();
            }
          });
      session.execute(String.format(line, freePort()));
      assertTrue(listening.await(10, TimeUnit.MINUTES), "shown while it waits");
      fabric.unplug("soft0");
      assertTrue(ended.await(10, TimeUnit.MINUTES), "it has ended");
      assertEquals(List.of(), Left.resources(fabric.core()));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
