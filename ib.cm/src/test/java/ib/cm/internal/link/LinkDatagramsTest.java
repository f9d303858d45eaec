package ib.cm.internal.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmDatagram;
import ib.cm.CmDatagramRequest;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.cm.CmUnresolvedException;
import ib.core.client.DeviceLease;
import ib.core.cm.ConnectorEnd;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.IbTimedOutException;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 17, V8: datagram services where the host has the connection manager (RD-11)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinkDatagramsTest {
  private static final long PORT_7000 = 0x0111_1b58L;
  private static final int QKEY = 0x01234567;
  private static final byte[] NONE = {};

  private final StandaloneFabric fabric = SoftFabric.open("soft0", "soft1");
  private final DeviceLease lease = fabric.core().lease("soft0", "test");
  private final FakeConnector host = new FakeConnector();
  private final LinkShare share = new LinkShare(lease.device(), 1, host, s -> {});
  private final BlockingQueue<CmDatagramRequest> heard = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    share.close();
    lease.close();
    fabric.close();
  }

  private Gid gid() {
    return lease.device().gid(1, 0);
  }

  private InetAddress address() throws Exception {
    return InetAddress.getByAddress(gid().toBytes());
  }

  private InetSocketAddress at() throws Exception {
    return new InetSocketAddress(address(), 7000);
  }

  private CompletableFuture<CmDatagram> resolve(CmTerms terms) throws Exception {
    byte[] data = new CmaHeader(4711, address(), address()).before(new byte[] {5}, CmKind.SIDR_REQ);
    return share.resolve(PORT_7000, CmPath.roce(lease.device(), 1, 0, gid()), terms, data);
  }

  private CompletableFuture<CmDatagram> resolve() throws Exception {
    return resolve(CmTerms.DEFAULT);
  }

  private static <T extends Throwable> T why(Class<T> type, CompletableFuture<?> of) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> of.get(1, TimeUnit.MINUTES));
    return assertInstanceOf(type, e.getCause());
  }

  private CmDatagramRequest next() throws InterruptedException {
    CmDatagramRequest asked = heard.poll(1, TimeUnit.MINUTES);
    assertNotNull(asked, "no question");
    return asked;
  }

  @Test
  @DisplayName("a question: the addresses, the service's queue pair; it is ended in the host")
  void asked() throws Exception {
    CompletableFuture<CmDatagram> future = resolve();
    assertEquals(at(), host.inquiry.remote());
    assertEquals(new InetSocketAddress(address(), 4711), host.inquiry.local());
    assertEquals(5, host.inquiry.data()[0]);
    host.answer.answered(0x77, QKEY, new byte[136]);
    CmDatagram answer = future.get(1, TimeUnit.MINUTES);
    assertEquals(0x77, answer.qpn());
    assertEquals(QKEY, answer.qkey());
    host.answer.ended(ConnectorEnd.REMOVED, 0, NONE); // too late
    share.close();
    assertEquals(List.of("resolve 7000", "close"), List.copyOf(host.commands));
  }

  @Test
  @DisplayName("A5: a question that is not answered by the deadline ends, and is ended in the host")
  void deadline() throws Exception {
    why(IbTimedOutException.class, resolve(CmTerms.DEFAULT.deadlineMs(1)));
    share.close();
    assertEquals(List.of("resolve 7000", "close"), List.copyOf(host.commands));
  }

  @Test
  @DisplayName("an answer that is faster than the call which has begun the question waits for it")
  void fast() throws Exception {
    host.asking = a -> a.answered(0x78, QKEY, NONE);
    assertEquals(0x78, resolve().get(1, TimeUnit.MINUTES).qpn());
    share.close();
    assertEquals(1, host.closes.get());
  }

  @Test
  @DisplayName("no answer, a refusal with its status, no way, a device that goes: by their types")
  void failures() throws Exception {
    CompletableFuture<CmDatagram> silent = resolve();
    host.answer.ended(ConnectorEnd.UNREACHABLE, 110, NONE);
    why(IbTimedOutException.class, silent);
    CompletableFuture<CmDatagram> refused = resolve();
    host.answer.ended(ConnectorEnd.REJECTED, 1, new byte[] {9});
    CmUnresolvedException e = why(CmUnresolvedException.class, refused);
    assertEquals(1, e.status());
    assertEquals(9, e.privateData()[0]);
    CompletableFuture<CmDatagram> noWay = resolve();
    host.answer.ended(ConnectorEnd.UNRESOLVED, 113, NONE);
    assertTrue(why(IbNoDeviceException.class, noWay).getMessage().contains("error 113"));
    CompletableFuture<CmDatagram> goes = resolve();
    host.answer.ended(ConnectorEnd.REMOVED, 0, NONE);
    why(IbDisassociatedException.class, goes);
    CompletableFuture<CmDatagram> closed = resolve();
    share.close();
    why(IbDisassociatedException.class, closed);
    assertEquals(5, host.closes.get());
    assertThrows(IbDisassociatedException.class, this::resolve);
  }

  @Test
  @DisplayName("a host that refuses to ask, after an answer or without one, leaves nothing")
  void unmade() throws Exception {
    host.asking =
        a -> {
          a.answered(1, QKEY, NONE);
          throw new IbExistsException("resolve", "in use", "");
        };
    assertThrows(IbExistsException.class, this::resolve);
    share.close(); // it waits for callbacks
    assertEquals(0, host.closes.get());
  }

  @Test
  @DisplayName("a question that is given up while its answer comes is ended in the host once")
  void cancelled() throws Exception {
    for (int i = 1; i <= 200; i++) {
      CompletableFuture<CmDatagram> future = resolve();
      CyclicBarrier together = new CyclicBarrier(2);
      Thread peer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    meet(together);
                    host.answer.answered(3, QKEY, NONE);
                  });
      meet(together);
      future.cancel(false);
      peer.join();
    }
    share.close();
    assertEquals(200, host.closes.get());
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("a service: the peer's addresses and data, one answer, and what is not possible")
  void service() throws Exception {
    CmListener listener = share.serve(PORT_7000, 2, heard::add);
    assertEquals(PORT_7000, listener.serviceId());
    host.ask(at(), gid(), 7);
    CmDatagramRequest asked = next();
    CmaHeader ends = CmaHeader.read(asked.privateData());
    assertEquals(4001, ends.port());
    assertEquals(address(), ends.destination());
    assertEquals(216, asked.privateData().length);
    assertEquals(7, asked.privateData()[CmaHeader.BYTES]);
    assertEquals(gid(), asked.source().grh().dgid());
    assertThrows(IbNotSupportedException.class, () -> asked.accept(5, 1, NONE));
    assertThrows(IbInvalidException.class, () -> asked.accept(1 << 24, QKEY, NONE));
    assertThrows(IbInvalidException.class, () -> asked.accept(5, QKEY, new byte[137]));
    assertThrows(IbNotSupportedException.class, () -> asked.reject(CmDatagramRequest.NO_QP, NONE));
    asked.accept(5, QKEY, new byte[3]);
    assertThrows(IbInvalidException.class, () -> asked.accept(5, QKEY, NONE));
    assertThrows(IbInvalidException.class, () -> asked.reject(CmDatagramRequest.REJECTED, NONE));
    host.ask(at(), gid(), 8);
    next().reject(CmDatagramRequest.REJECTED, new byte[2]);
    assertEquals(List.of("answer 5 3", "close", "refuse 2", "close"), List.copyOf(host.commands));
    listener.close();
    assertTrue(host.services.isEmpty());
  }

  @Test
  @DisplayName("a question beyond the backlog, one of a closed service, one whose handler fails")
  void notHeard() throws Exception {
    CmListener listener = share.serve(PORT_7000, 1, heard::add);
    host.ask(at(), gid(), 1);
    CmDatagramRequest first = next();
    host.ask(at(), gid(), 2);
    assertEquals(1, host.closes.get(), "the host refuses what is ended without an answer");
    assertEquals(1, share.counters().get("dropped.BACKLOG"));
    assertEquals(2, share.counters().get("received.SIDR_REQ"));
    listener.close();
    assertEquals(2, host.closes.get(), "refused with the listener");
    assertThrows(IbInvalidException.class, () -> first.accept(5, QKEY, NONE));
    share.serve(
        PORT_7000,
        1,
        q -> {
          heard.add(q);
          throw new IllegalStateException("planted");
        });
    host.ask(at(), gid(), 3);
    next();
    share.close(); // it waits for the handler
    assertEquals(3, host.closes.get());
    assertTrue(heard.isEmpty());
  }
}
