package ib.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.IbInvalidException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A13 the server that gives captures to readers")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToPortTest {
  /** Fails for each of a list, and then serves. */
  private static final class Failing implements PacketCapture {
    private final Queue<Throwable> failures =
        new ArrayDeque<>(
            List.of(
                new IbInvalidException("capture", "a full disk", ""),
                new IllegalStateException("a defect"),
                new OutOfMemoryError("heap")));
    private final CountDownLatch served = new CountDownLatch(1);

    @Override
    public String device() {
      return "cap0";
    }

    @Override
    public Session start(WritableByteChannel sink, Filter filter) {
      Throwable next = failures.poll();
      if (next instanceof Error e) {
        throw e;
      }
      if (next instanceof RuntimeException e) {
        throw e;
      }
      served.countDown();
      throw new IllegalStateException("the test is over");
    }

    @Override
    public Optional<Session> running() {
      return Optional.empty();
    }
  }

  @Test
  @DisplayName("A13 one reader's capture fails, for whatever reason: the next reader is served")
  void nextReader() throws IOException, InterruptedException {
    Failing capture = new Failing();
    ToPort target = ToPort.open(capture, 0, Filter.ALL);
    try {
      for (int reader = 0; reader < 4; reader++) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), target.port())) {
          assertEquals(-1, socket.getInputStream().read(), "it is told by the end of the stream");
        }
      }
      assertTrue(capture.served.await(10, TimeUnit.MINUTES));
    } finally {
      target.close();
    }
    assertEquals("ended", target.state());
  }
}
