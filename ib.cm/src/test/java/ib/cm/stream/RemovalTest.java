package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.cm.rdma.RdmaRequest;
import ib.cm.stream.StreamWorld.Both;
import ib.core.testing.Wait;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

@DisplayName("findings A1, A6: a removal waits for no stream, whatever state the stream is in")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemovalTest {
  private static final int MANY = 1_000;
  private static final int BACKLOG = 4; // of StreamWorld
  private static final StreamOptions SMALL =
      DEFAULTS.buffers(4096, 4096).closeTimeout(Duration.ZERO);

  /** What the two ends of a stream do when the device of the end that was accepted goes. */
  enum State {
    OPEN,
    PEER_CLOSED,
    PEER_HALF_CLOSED,
    READER,
    WRITER
  }

  private final ListAppender<ILoggingEvent> waits = new ListAppender<>();

  static Stream<Arguments> cases() {
    return Stream.of(State.values())
        .flatMap(s -> Stream.of(1, 10, MANY).map(n -> Arguments.of(s, n)));
  }

  /** Threads that are blocked in a state, if any. */
  private static void enter(State state, StreamWorld world, Both both, List<Future<?>> blocked) {
    switch (state) {
      case OPEN -> {}
      case PEER_CLOSED -> both.mine().close();
      case PEER_HALF_CLOSED -> {
        try {
          both.mine().shutdownOutput();
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
      case READER -> blocked.add(world.threads.submit(() -> read(both.theirs())));
      case WRITER -> blocked.add(world.threads.submit(() -> write(both.theirs())));
    }
  }

  private static int read(RdmaStream from) throws IOException {
    return from.read(ByteBuffer.allocate(1));
  }

  private static int write(RdmaStream to) throws IOException {
    while (true) { // the peer does not read
      to.write(ByteBuffer.allocate(1000));
    }
  }

  @ParameterizedTest(name = "{1} {0}")
  @MethodSource("cases")
  @DisplayName(
      "A1: streams in a state: the removal returns, nothing is left, those blocked hear it")
  void removal(State state, int streams) throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger("ib.cm.rdma.Turns");
    waits.start();
    log.addAppender(waits);
    List<Future<?>> blocked = new ArrayList<>();
    List<Both> all = new ArrayList<>();
    try (StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"))) {
      world.listen(SMALL);
      for (int i = 0; i < streams; i++) {
        Future<RdmaStream> accepted = world.accepted();
        RdmaStream mine = RdmaStream.connect(world.client, world.at(), SMALL);
        Both both = new Both(mine, accepted.get());
        all.add(both);
        enter(state, world, both, blocked);
      }
      world.fabric.unplug("soft1");
      assertEquals(List.of(), world.fabric.core().lastRemoval("soft1").orElseThrow().leaks());
      for (Future<?> each : blocked) {
        Throwable why = assertThrows(ExecutionException.class, each::get).getCause();
        assertInstanceOf(IOException.class, why);
      }
      all.forEach(Both::close);
      assertEquals(List.of(), waits.list);
    } finally {
      log.detachAppender(waits);
    }
  }

  @Test
  @DisplayName(
      "A6: a thread that waits in accept hears that the RdmaCm is closed, so does the next")
  void managerClosed() throws Exception {
    try (StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"))) {
      RdmaStreamListener ear = world.listen(SMALL);
      Future<RdmaStream> waiting = world.accepted();
      world.server.close();
      Throwable why = assertThrows(ExecutionException.class, waiting::get).getCause();
      assertInstanceOf(ClosedChannelException.class, why);
      assertThrows(ClosedChannelException.class, ear::accept);
    }
  }

  @Test
  @DisplayName("A2: peers that give up before they are accepted are not kept")
  void givenUp() throws Exception {
    try (StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"))) {
      RdmaStreamListener ear = world.listen(SMALL);
      List<RdmaRequest> asked = new ArrayList<>();
      for (int i = 0; i < 5 * BACKLOG; i++) {
        Future<RdmaStream> asks =
            world.threads.submit(() -> RdmaStream.connect(world.client, world.at(), SMALL));
        Wait.until(() -> ear.waiting().stream().anyMatch(r -> !asked.contains(r)));
        asked.add(ear.waiting().getLast());
        asks.cancel(true);
        Wait.until(() -> !asked.getLast().isWaiting());
      }
      assertEquals(List.of(asked.getLast()), ear.waiting(), "it goes when the next comes");
    }
  }
}
