package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.StandaloneFabric;
import ib.core.testing.Wait;
import ib.core.verbs.IbException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each call of the streams and connections that waits for the peer, and each object under it that
 * somebody may close: before the call, and while the call waits.
 */
@DisplayName("findings A1, A6, A16: a call ends, whatever is closed under it")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedBelowTest {
  private static final StreamOptions SMALL =
      StreamWorld.DEFAULTS
          .buffers(4096, 4096)
          .regions(1)
          .closeTimeout(Duration.ZERO)
          .connectTimeout(Duration.ofHours(1)); // what ends the call is the close

  /** The name of a class. */
  private static final Pattern JAVA = Pattern.compile("\\b(?:ib|java)\\.[a-z]+\\.");

  /** A call that waits: the method, and how the test gets it to wait. */
  enum Call {
    CONNECT(RdmaStream.class, "connect", s -> RdmaStream.connect(s.client, s.at, s.options)),
    RDMA_CONNECT(RdmaCm.class, "connect", Scene::connect),
    ACCEPT(RdmaStreamListener.class, "accept", s -> s.listener.accept()),
    READ(RdmaStream.class, "read", s -> s.mine.read(ByteBuffer.allocate(1))),
    WRITE(RdmaStream.class, "write", Scene::fill),
    SHUTDOWN(RdmaStream.class, "shutdownOutput", Scene::shutdown),
    MAP(RdmaStream.class, "map", s -> s.mine.map(s.memory, 0)),
    WRITE_DIRECT(RdmaStream.class, "writeDirect", Scene::fillDirect),
    CLOSE(RdmaStream.class, "close", Scene::closeMine);

    final Class<?> of;
    final String method;
    final Body body;

    Call(Class<?> of, String method, Body body) {
      this.of = of;
      this.method = method;
      this.body = body;
    }

    boolean isConnect() {
      return this == CONNECT || this == RDMA_CONNECT;
    }

    /** It waits only behind another thread that writes. */
    boolean isBehindWriter() {
      return this == SHUTDOWN || this == MAP || this == WRITE_DIRECT;
    }
  }

  /** An object that the call depends on. */
  enum Below {
    OWN,
    PEER,
    OWN_CM,
    PEER_CM,
    MANAGER,
    OWN_DEVICE,
    PEER_DEVICE,
    THREAD;

    boolean isOfPeer() {
      return this == PEER || this == PEER_CM || this == PEER_DEVICE || this == MANAGER;
    }

    /** A listener goes on when a device goes: another one may come. */
    boolean ends(Call call) {
      return switch (call) {
        case ACCEPT -> this == OWN || this == OWN_CM || this == THREAD;
        case CONNECT, RDMA_CONNECT, CLOSE -> this != OWN;
        default -> true;
      };
    }
  }

  private interface Body {
    Object call(Scene scene) throws Exception;
  }

  static Stream<Arguments> table() {
    List<Arguments> all = new ArrayList<>();
    for (Medium medium : Medium.values()) {
      for (Call call : Call.values()) {
        for (Below below : Below.values()) {
          if (below.ends(call)) {
            all.add(Arguments.of(medium, call, below, false));
            all.add(Arguments.of(medium, call, below, true));
          }
        }
      }
    }
    return all.stream();
  }

  @Test
  @DisplayName("the table has each public method that throws a checked exception")
  void complete() {
    Set<String> there =
        Stream.of(RdmaStream.class, RdmaStreamListener.class, RdmaCm.class, RdmaConnection.class)
            .flatMap(c -> Arrays.stream(c.getDeclaredMethods()))
            .filter(m -> Modifier.isPublic(m.getModifiers()) && waits(m))
            .map(m -> m.getDeclaringClass().getSimpleName() + "." + m.getName())
            .collect(Collectors.toCollection(TreeSet::new));
    there.remove("RdmaStreamListener.listen"); // its BindException is of the local port
    there.add("RdmaStream.close"); // waits and throws nothing
    assertEquals(
        there,
        Arrays.stream(Call.values())
            .map(c -> c.of.getSimpleName() + "." + c.method)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static boolean waits(Method m) {
    return m.getExceptionTypes().length > 0;
  }

  @ParameterizedTest(name = "{0} {1}: {2} closed meanwhile: {3}")
  @MethodSource("table")
  void ends(Medium medium, Call call, Below below, boolean meanwhile) throws Exception {
    try (Scene scene = new Scene(medium, call, below == Below.PEER_DEVICE && !meanwhile)) {
      Runner runner = new Runner(() -> call.body.call(scene));
      if (meanwhile) {
        if (call == Call.CLOSE) {
          scene.silencePeer();
        } else if (call.isBehindWriter()) {
          scene.blockWriter();
        }
        runner.start();
        runner.awaitWaiting();
        assertFalse(runner.task.isDone(), "the call waits");
        if (call.isConnect()) {
          Wait.until(() -> !scene.listener.waiting().isEmpty());
        }
        scene.close(below, runner);
      } else {
        scene.close(below, runner);
        runner.start();
      }
      check(call, below, meanwhile, runner.outcome());
    }
  }

  private static void check(Call call, Below below, boolean meanwhile, Object outcome) {
    if (call == Call.CLOSE) {
      assertEquals(Scene.CLOSED, outcome);
      return;
    }
    if (call == Call.READ && below == Below.PEER) {
      assertEquals(-1, outcome, "the end of the stream");
      return;
    }
    if (!(outcome instanceof Exception why)) { // the peer's end may be noticed later, as TCP's
      assertTrue(below.isOfPeer() && (call == Call.SHUTDOWN || call == Call.MAP), "" + outcome);
      return;
    }
    Class<?> expected =
        call == Call.RDMA_CONNECT
            ? below == Below.THREAD ? InterruptedException.class : IbException.class
            : switch (below) {
              case THREAD -> ClosedByInterruptException.class;
              case OWN ->
                  meanwhile && !call.isBehindWriter()
                      ? AsynchronousCloseException.class
                      : ClosedChannelException.class;
              case OWN_CM ->
                  call == Call.ACCEPT ? ClosedChannelException.class : SocketException.class;
              default -> SocketException.class;
            };
    boolean late = call == Call.CONNECT && outcome instanceof SocketTimeoutException;
    if (!(late && below == Below.PEER_DEVICE)) {
      assertInstanceOf(expected, outcome);
    }
    String text = String.valueOf(why.getMessage());
    assertFalse(JAVA.matcher(text).find(), text);
  }

  /** A thread that makes the call. */
  private static final class Runner {
    private final FutureTask<Object> task;
    private final Thread thread;
    private boolean interruptFirst;

    Runner(Callable<Object> body) {
      task =
          new FutureTask<>(
              () -> {
                if (interruptFirst) {
                  Thread.currentThread().interrupt();
                }
                try {
                  return body.call();
                } catch (Exception e) {
                  return e;
                }
              });
      thread = new Thread(task, "caller");
    }

    void start() {
      thread.start();
    }

    void interrupt() {
      if (thread.isAlive()) {
        thread.interrupt();
      } else {
        interruptFirst = true;
      }
    }

    void awaitWaiting() {
      Wait.until(
          () ->
              thread.getState() == Thread.State.WAITING
                  || thread.getState() == Thread.State.TIMED_WAITING
                  || !thread.isAlive());
    }

    Object outcome() throws Exception {
      return task.get();
    }
  }

  /** The objects of one case. */
  private static final class Scene implements AutoCloseable {
    static final String CLOSED = "closed";

    final StandaloneFabric fabric;
    final StreamWorld world;
    final RdmaCm client;
    final RdmaStreamListener listener;
    final Arena arena = Arena.ofShared();
    final MemorySegment memory = arena.allocate(4096, 4096);
    final StreamOptions options;
    final InetSocketAddress at;
    private final Call call;
    RdmaStream mine;
    RdmaStream theirs;

    Scene(Medium medium, Call call, boolean unheard) throws Exception {
      this.call = call;
      fabric = medium.open();
      world = new StreamWorld(fabric);
      client = world.client;
      StreamOptions small = call == Call.CLOSE ? SMALL.closeTimeout(Duration.ofHours(1)) : SMALL;
      StreamOptions from = small.from(world.address(0));
      options = unheard ? from.connectTimeout(Duration.ofSeconds(1)) : from;
      listener = world.listen(SMALL.closeTimeout(StreamWorld.DEFAULTS.closeTimeout()));
      at = world.at();
      if (!call.isConnect() && call != Call.ACCEPT) {
        var accepted = world.accepted();
        mine = RdmaStream.connect(client, world.at(), options);
        theirs = accepted.get();
        if (call == Call.WRITE_DIRECT) {
          theirs.map(memory, 0);
          theirs.write(ByteBuffer.allocate(1));
          mine.read(ByteBuffer.allocate(1));
        }
      }
    }

    Object connect() throws Exception {
      StreamEnd end = new StreamEnd(options, new StreamQueue(options));
      return client.connect(at, options.connection(), end);
    }

    Object fill() throws IOException {
      while (true) { // the peer does not read
        mine.write(ByteBuffer.allocate(1000));
      }
    }

    Object fillDirect() throws IOException {
      while (true) {
        mine.writeDirect(ByteBuffer.allocate(1000), 0);
      }
    }

    Object shutdown() throws IOException {
      mine.shutdownOutput();
      return "the output is shut down";
    }

    /** Nothing that this side sends arrives from now on. */
    void silencePeer() {
      String device = fabric.names().getFirst();
      fabric.service(device, FaultInjection.class).add(FaultRule.parse("partition"));
    }

    Object closeMine() {
      mine.close();
      return CLOSED;
    }

    void blockWriter() {
      Runner writer = new Runner(this::fill);
      writer.start();
      writer.awaitWaiting();
    }

    void close(Below below, Runner runner) {
      switch (below) {
        case OWN -> closeEnd(mine);
        case PEER -> closeEnd(theirs);
        case OWN_CM -> (call == Call.ACCEPT ? world.server : client).close();
        case PEER_CM -> world.server.close();
        case MANAGER -> world.unregister();
        case OWN_DEVICE -> fabric.unplug(fabric.names().getFirst());
        case PEER_DEVICE -> fabric.unplug(fabric.names().getLast());
        case THREAD -> runner.interrupt();
      }
    }

    private void closeEnd(RdmaStream stream) {
      if (stream == null) {
        listener.close();
      } else {
        stream.close();
      }
    }

    @Override
    public void close() {
      if (mine != null) {
        mine.close();
        theirs.close();
      }
      world.close();
      arena.close();
    }
  }
}
