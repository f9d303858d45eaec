package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.testing.Thrown;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@DisplayName("D21, findings A3, A4: whatever a program's code throws, both sides hear an end")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrownTest {
  private static final String FAILED = "RDMA_CM_EVENT_CONNECT_ERROR, error -22";
  private static final String REJECTED = "RDMA_CM_EVENT_REJECTED, error 28";
  private static final String NO_RESOURCES = "RDMA_CM_EVENT_REJECTED, error 3";
  private static final int BACKLOG = 4; // of World

  private final World world = new World();
  private final Party mine = new Party();
  private final Party theirs = new Party();

  /** The methods of a {@link QpFactory}. */
  enum Step {
    MAKE,
    DATA,
    INITIALIZED,
    DESTROYED
  }

  /** Makes a queue pair, and throws in one of the steps. */
  private static final class Broken implements QpFactory {
    final List<QueuePair> alive = new ArrayList<>();
    private final Party party = new Party();
    private final Step at;
    private final Throwable what;

    Broken(Step at, Throwable what) {
      this.at = at;
      this.what = what;
    }

    private void step(Step now) {
      if (now == at) {
        throw Thrown.<RuntimeException>sneak(what);
      }
    }

    @Override
    public QueuePair make(IbDevice device, int port) {
      step(Step.MAKE);
      QueuePair made = party.make(device, port);
      alive.add(made);
      return made;
    }

    @Override
    public byte[] data(RdmaOptions options) {
      step(Step.DATA);
      return options.data();
    }

    @Override
    public void initialized(QueuePair qp) {
      step(Step.INITIALIZED);
      party.initialized(qp);
    }

    @Override
    public void destroyed(QueuePair qp) {
      alive.remove(qp);
      party.destroyed(qp);
      step(Step.DESTROYED);
    }
  }

  @AfterEach
  void close() {
    world.close(); // nothing is left, says the core
  }

  static Stream<Arguments> steps() {
    return Stream.of(Step.values())
        .filter(s -> s != Step.DESTROYED)
        .flatMap(s -> Thrown.kinds().map(t -> Arguments.of(s, t)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("steps")
  @DisplayName("A3: a factory of the side that connects")
  void connecting(Step step, Throwable what) throws Exception {
    Broken broken = new Broken(step, what);
    InetSocketAddress to = world.at(world.listen());
    RdmaConnection never = world.client.start(to, RdmaOptions.rc(), broken, mine);
    assertEquals(FAILED, mine.hear());
    assertSame(what, mine.end.why().getCause());
    never.close();
    assertEquals(List.of(), broken.alive);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("steps")
  @DisplayName("A3: a factory of the side that accepts; its program sees what it has thrown")
  void accepting(Step step, Throwable what) throws Exception {
    Broken broken = new Broken(step, what);
    InetSocketAddress to = world.at(world.listen());
    RdmaConnection a = world.client.start(to, RdmaOptions.rc(), mine, mine);
    RdmaRequest asked = world.request();
    Throwable seen =
        assertThrows(Throwable.class, () -> asked.accept(RdmaOptions.rc(), broken, theirs));
    assertSame(what, seen);
    assertEquals(FAILED, theirs.hear());
    boolean memory = what instanceof OutOfMemoryError; // no program's will (A16)
    assertEquals(memory ? NO_RESOURCES : REJECTED, mine.hear());
    a.close();
    assertEquals(List.of(), broken.alive);
  }

  static Stream<Throwable> kinds() {
    return Thrown.kinds();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  @DisplayName("A3: a factory that throws when its queue pair is destroyed: the peer hears the end")
  void destroying(Throwable what) throws Exception {
    Broken broken = new Broken(Step.DESTROYED, what);
    InetSocketAddress to = world.at(world.listen());
    RdmaConnection a = world.client.start(to, RdmaOptions.rc(), broken, mine);
    RdmaConnection b = world.request().accept(RdmaOptions.rc(), theirs, theirs);
    assertEquals("ESTABLISHED", mine.hear());
    assertSame(what, assertThrows(Throwable.class, a::close));
    a.close(); // it is closed already
    assertEquals("ESTABLISHED", theirs.hear());
    assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", theirs.hear());
    b.close();
    assertEquals(List.of(), broken.alive);
    assertEquals(
        List.of(), world.cm.ids().stream().filter(c -> c.owner().equals("client")).toList());
  }

  @ParameterizedTest(name = "the device goes: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("A3: one factory that throws at the end keeps no other connection open")
  void destroyingOneOfMany(boolean deviceGoes) throws Exception {
    List<Broken> all = Thrown.kinds().map(t -> new Broken(Step.DESTROYED, t)).toList();
    InetSocketAddress to = world.at(world.listen());
    for (Broken broken : all) {
      world.client.start(to, RdmaOptions.rc(), broken, mine);
      world.request().accept(RdmaOptions.rc(), new Party(), RdmaHandler.NONE);
      assertEquals("ESTABLISHED", mine.hear());
    }
    if (deviceGoes) {
      world.fabric.unplug("soft0");
      assertEquals(List.of(), world.core.lastRemoval("soft0").orElseThrow().leaks());
    } else {
      world.client.close();
    }
    for (Broken broken : all) {
      assertEquals(List.of(), broken.alive);
    }
  }

  @Test
  @DisplayName(
      "A1: a factory that unplugs the device while its queue pair is destroyed is refused at once")
  void unplugs() throws Exception {
    ListAppender<ILoggingEvent> waits = new ListAppender<>();
    Logger log = (Logger) LoggerFactory.getLogger(Turns.class);
    waits.start();
    log.addAppender(waits);
    CountDownLatch refused = new CountDownLatch(1);
    QpFactory unplugs =
        new QpFactory() {
          @Override
          public QueuePair make(IbDevice device, int port) {
            return theirs.make(device, port);
          }

          @Override
          public void destroyed(QueuePair qp) {
            theirs.destroyed(qp);
            assertThrows(IbDeadlockException.class, () -> world.fabric.unplug("soft1"));
            refused.countDown();
          }
        };
    InetSocketAddress to = world.at(world.listen());
    world.client.start(to, RdmaOptions.rc(), mine, mine);
    RdmaConnection b = world.request().accept(RdmaOptions.rc(), unplugs, theirs);
    b.close();
    assertEquals(0, refused.getCount());
    world.fabric.unplug("soft1");
    log.detachAppender(waits);
    assertEquals(List.of(), waits.list);
  }

  @Test
  @DisplayName("A4: a listener's handler gives back its place in the backlog, and goes on")
  void listening() throws Exception {
    List<Throwable> kinds = Thrown.kinds().toList();
    int[] asked = {0};
    RdmaListener listener =
        world.server.listen(
            new InetSocketAddress(0),
            PortSpace.TCP,
            BACKLOG,
            request -> {
              int n = asked[0]++;
              if (n < 2 * BACKLOG) {
                throw Thrown.<RuntimeException>sneak(kinds.get(n % kinds.size()));
              }
              request.accept(RdmaOptions.rc(), theirs, theirs);
            });
    for (int i = 0; i < 2 * BACKLOG; i++) {
      world.client.start(world.at(listener), RdmaOptions.rc(), new Party(), mine);
      assertEquals(REJECTED, mine.hear());
    }
    world.client.start(world.at(listener), RdmaOptions.rc(), mine, mine);
    assertEquals("ESTABLISHED", mine.hear());
    assertEquals(2L * BACKLOG, world.server.counters().get("the handler failed"));
  }
}
