package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.mad.smp.PortCapability;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two devices of the soft driver and the whole way between them. */
class ConnectTest {
  private static final long SERVICE = 0x0200_0000_0000_0001L;
  private static final byte[] NONE = {};

  private record Heard(CmConnection connection, CmEvent event) {}

  private final BlockingQueue<Heard> active = new LinkedBlockingQueue<>();
  private final BlockingQueue<Heard> passive = new LinkedBlockingQueue<>();
  private SoftPair lab;
  private CmPort client;
  private CmPort server;

  @BeforeEach
  void open() {
    lab = new SoftPair();
    client = lab.cm.open("soft0", 1);
    server = lab.cm.open("soft1", 1);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    lab.close();
  }

  private static <T extends CmEvent> T hear(BlockingQueue<Heard> from, Class<T> what)
      throws InterruptedException {
    Heard heard = from.poll(1, TimeUnit.MINUTES);
    assertNotNull(heard, "no " + what.getSimpleName());
    return assertInstanceOf(what, heard.event);
  }

  private CmConnection connect(RcEnd end) {
    return client.connect(
        SERVICE,
        lab.path(0),
        end.mine(),
        CmTerms.DEFAULT,
        new byte[] {7},
        (c, e) -> active.add(new Heard(c, e)));
  }

  private CmListener listen() {
    return server.listen(SERVICE, 4, (c, e) -> passive.add(new Heard(c, e)));
  }

  /** Makes a connection; {@return its passive side} */
  private CmConnection connected(CmConnection a, RcEnd mine, RcEnd theirs)
      throws InterruptedException {
    Heard asked = passive.poll(1, TimeUnit.MINUTES);
    assertNotNull(asked, "no request");
    CmEvent.Requested req = assertInstanceOf(CmEvent.Requested.class, asked.event);
    assertEquals(SERVICE, req.serviceId());
    assertEquals(7, req.privateData()[0]);
    assertEquals(mine.mine(), req.peer());
    assertEquals(lab.device(0).port(1).lid(), asked.connection.source().dlid());
    theirs.connect(req.path(), req.peer(), req.terms());
    asked.connection.accept(theirs.mine(), new byte[] {8});
    CmEvent.Replied rep = hear(active, CmEvent.Replied.class);
    assertEquals(8, rep.privateData()[0]);
    assertEquals(theirs.mine(), rep.peer());
    mine.connect(lab.path(0), rep.peer(), CmTerms.DEFAULT);
    a.ready(new byte[] {9});
    hear(active, CmEvent.Established.class);
    assertEquals(9, hear(passive, CmEvent.Established.class).privateData()[0]);
    return asked.connection;
  }

  private void ended(BlockingQueue<Heard> at, CmEnd how) throws InterruptedException {
    assertEquals(how, hear(at, CmEvent.Ended.class).how());
    hear(at, CmEvent.Released.class);
    assertNull(at.poll(), "an event after the release");
  }

  @Test
  @DisplayName("two devices connect by service ID, data goes both ways, each side ends once")
  void whole() throws InterruptedException {
    CmPath path = lab.path(0);
    try (CmListener l = listen();
        RcEnd mine = new RcEnd(lab.device(0), path);
        RcEnd theirs = new RcEnd(lab.device(1), lab.path(1))) {
      assertEquals(SERVICE, l.serviceId());
      CmConnection a = connect(mine);
      CmConnection p = connected(a, mine, theirs);
      assertEquals("ESTABLISHED", a.state());
      assertNotEquals(a.localId(), p.localId());
      mine.send(100);
      assertEquals(100, theirs.completed(1));
      theirs.send(200);
      mine.completed(2);
      assertEquals(200, mine.completed(1));
      p.disconnect(new byte[] {10});
      CmEvent.Ended end = hear(active, CmEvent.Ended.class);
      assertEquals(CmEnd.DISCONNECTED, end.how());
      assertEquals(10, end.privateData()[0]);
      hear(active, CmEvent.Released.class);
      ended(passive, CmEnd.DISCONNECTED);
      mine.error();
      assertThrows(IbInvalidException.class, () -> p.disconnect(NONE));
    }
  }

  @Test
  @DisplayName("CM-46: a service without a listener is rejected with reason 8")
  void nothingListens() throws InterruptedException {
    listen().close();
    try (RcEnd mine = new RcEnd(lab.device(0), lab.path(0))) {
      connect(mine);
      CmEvent.Ended end = hear(active, CmEvent.Ended.class);
      assertEquals(CmEnd.REJECTED, end.how());
      assertEquals(8, end.reason());
      hear(active, CmEvent.Released.class);
    }
  }

  @Test
  @DisplayName("a rejection carries reason, additional information and private data")
  void rejected() throws InterruptedException {
    CmListener l =
        server.listen(
            SERVICE,
            4,
            (c, e) -> {
              passive.add(new Heard(c, e));
              if (e instanceof CmEvent.Requested) { // a callback may call
                c.reject(27, new byte[] {4}, new byte[148]);
              }
            });
    try (RcEnd mine = new RcEnd(lab.device(0), lab.path(0))) {
      connect(mine);
      CmEvent.Ended end = hear(active, CmEvent.Ended.class);
      assertEquals(27, end.reason());
      assertEquals(1, end.info().length);
      assertEquals(4, end.info()[0]);
      hear(passive, CmEvent.Requested.class);
      ended(passive, CmEnd.CLOSED);
    }
    l.close();
  }

  @Test
  @DisplayName("CM-6: shares of a port share its agent; bit 16 is set until the client goes")
  void shares() {
    CmPort other = lab.cm.open("soft0", 1);
    other.listen(SERVICE, 1, (c, e) -> {});
    assertThrows(IbExistsException.class, () -> client.listen(SERVICE, 1, (c, e) -> {}));
    client.close();
    other.close();
    assertEquals(1, bit());
    assertThrows(
        IbDisassociatedException.class, () -> client.listen(SERVICE, 1, (c, e) -> {}), "closed");
    client = lab.cm.open("soft0", 1);
    client.listen(SERVICE, 1, (c, e) -> {}); // the closed share's listener is gone
    lab.withdraw();
    assertEquals(0, bit());
    assertThrows(IbNoDeviceException.class, () -> lab.cm.open("soft0", 1));
    assertThrows(
        IbDisassociatedException.class, () -> client.listen(SERVICE, 1, (c, e) -> {}), "gone");
  }

  private int bit() {
    int set = lab.device(0).queryPort(1).capFlags() & PortCapability.IS_CM_SUPPORTED.mask();
    return set == 0 ? 0 : 1;
  }

  @Test
  @DisplayName("a device that goes ends its connections, once each, and leaves nothing")
  void removed() throws InterruptedException {
    listen();
    RcEnd theirs = new RcEnd(lab.device(1), lab.path(1));
    try (RcEnd mine = new RcEnd(lab.device(0), lab.path(0))) {
      CmConnection a = connect(mine);
      connected(a, mine, theirs);
      theirs.close();
      lab.unplug(1);
      ended(passive, CmEnd.REMOVED);
      assertThrows(IbNoDeviceException.class, () -> lab.cm.open("soft1", 1));
      a.end();
      a.end();
      client.close();
      assertInstanceOf(CmEvent.Ended.class, active.remove().event);
      assertInstanceOf(CmEvent.Released.class, active.remove().event);
      assertNull(active.poll());
    }
  }

  @Test
  @DisplayName("API-2: handlers that close the share of one another do not wait for ever")
  void closedCrosswise() throws InterruptedException {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch done = new CountDownLatch(2);
    server.listen(
        SERVICE,
        4,
        (c, e) -> {
          if (e instanceof CmEvent.Requested) {
            c.accept(CmEndpoint.of(5, 6), NONE);
            closeTogether(client, both);
            done.countDown();
          }
        });
    client.connect(
        SERVICE,
        lab.path(0),
        CmEndpoint.of(7, 8),
        CmTerms.DEFAULT,
        NONE,
        (c, e) -> {
          if (e instanceof CmEvent.Replied) {
            closeTogether(server, both);
            done.countDown();
          }
        });
    assertTrue(done.await(10, TimeUnit.MINUTES), "each waits for the other");
  }

  private static void closeTogether(CmPort port, CountDownLatch both) {
    both.countDown();
    try {
      assertTrue(both.await(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    port.close();
  }

  @Test
  @DisplayName("a share closed in its own callback ends its connections and does not wait")
  void closedInside() throws InterruptedException {
    server.listen(
        SERVICE,
        4,
        (c, e) -> {
          if (e instanceof CmEvent.Requested) {
            server.close();
          }
          passive.add(new Heard(c, e));
        });
    try (RcEnd mine = new RcEnd(lab.device(0), lab.path(0))) {
      CmConnection a = connect(mine);
      hear(passive, CmEvent.Requested.class);
      ended(passive, CmEnd.REMOVED);
      a.end();
      hear(active, CmEvent.Ended.class);
      hear(active, CmEvent.Released.class);
    }
  }
}
