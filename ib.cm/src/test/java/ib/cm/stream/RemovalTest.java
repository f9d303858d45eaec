package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.cm.rdma.RdmaRequest;
import ib.core.testing.Wait;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.net.ConnectException;
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
  private static final int OF_ONE_PEER = 1024 / 8 * 7; // an eighth of a backlog is for others
  private static final StreamOptions SMALL =
      DEFAULTS.buffers(4096, 4096).closeTimeout(Duration.ZERO);

  /** What the two ends of a stream do when the device of the end that was accepted goes. */
  enum State {
    OPEN,
    PEER_CLOSED,
    PEER_HALF_CLOSED,
    READER,
    WRITER,
    /** A peer asks, and no program accepts. */
    ASKED,
    /** A thread waits in accept, which a removal does not end: another device may come. */
    ACCEPT
  }

  private final ListAppender<ILoggingEvent> waits = new ListAppender<>();

  static Stream<Arguments> cases() {
    return Stream.of(Medium.values())
        .flatMap(
            m ->
                Stream.of(State.values())
                    .flatMap(s -> Stream.of(1, 10, MANY).map(n -> Arguments.of(m, s, n))));
  }

  /** Brings one stream into a state; returns its ends, those that there are. */
  private static List<RdmaStream> enter(State state, StreamWorld world, List<Future<?>> blocked)
      throws Exception {
    if (state == State.ACCEPT) {
      blocked.add(world.accepted());
      return List.of();
    }
    if (state == State.ASKED) {
      blocked.add(
          world.threads.submit(() -> RdmaStream.connect(world.client, world.at(), options(world))));
      return List.of();
    }
    Future<RdmaStream> accepted = world.accepted();
    RdmaStream mine = RdmaStream.connect(world.client, world.at(), options(world));
    RdmaStream theirs = accepted.get();
    switch (state) {
      case PEER_CLOSED -> mine.close();
      case PEER_HALF_CLOSED -> mine.shutdownOutput();
      case READER -> blocked.add(world.threads.submit(() -> read(theirs)));
      case WRITER -> blocked.add(world.threads.submit(() -> write(theirs)));
      default -> {}
    }
    return List.of(mine, theirs);
  }

  /** From the device that stays, or the client would take the nearer one. */
  private static StreamOptions options(StreamWorld world) throws IOException {
    return SMALL.from(world.address(0));
  }

  private static int read(RdmaStream from) throws IOException {
    return from.read(ByteBuffer.allocate(1));
  }

  private static int write(RdmaStream to) throws IOException {
    while (true) { // the peer does not read
      to.write(ByteBuffer.allocate(1000));
    }
  }

  @ParameterizedTest(name = "{0}: {2} {1}")
  @MethodSource("cases")
  @DisplayName(
      "A1: streams in a state: the removal returns, nothing is left, those blocked hear it")
  void removal(Medium medium, State state, int streams) throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger("ib.cm.rdma.Turns");
    waits.start();
    log.addAppender(waits);
    List<Future<?>> blocked = new ArrayList<>();
    List<RdmaStream> all = new ArrayList<>();
    try (StreamWorld world = new StreamWorld(medium.open())) {
      world.listen(SMALL, 0);
      int places = state == State.ASKED ? Math.min(streams, OF_ONE_PEER) : streams;
      for (int i = 0; i < places; i++) {
        all.addAll(enter(state, world, blocked));
      }
      if (state == State.ASKED) {
        Wait.until(() -> world.listener.waiting().size() == places);
      }
      String gone = world.fabric.names().getLast();
      world.fabric.unplug(gone);
      assertEquals(List.of(), world.fabric.core().lastRemoval(gone).orElseThrow().leaks());
      if (state == State.ACCEPT) {
        world.listener.close();
      }
      for (Future<?> each : blocked) {
        Throwable why = assertThrows(ExecutionException.class, each::get).getCause();
        // a peer that asks hears the end, and does not wait for its own deadline
        Class<? extends IOException> heard =
            state == State.ASKED && medium == Medium.SOFT // UDP may lose it
                ? ConnectException.class
                : IOException.class;
        assertInstanceOf(heard, why);
      }
      all.forEach(RdmaStream::close);
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
      for (int i = 0; i < 5 * StreamWorld.BACKLOG; i++) {
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
