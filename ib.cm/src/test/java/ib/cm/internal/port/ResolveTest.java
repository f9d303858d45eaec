package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmDatagram;
import ib.cm.CmDatagramRequest;
import ib.cm.CmListener;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.CmUnresolvedException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Datagram services of two devices of the soft driver, and the whole way between them. */
class ResolveTest {
  private static final long SERVICE = 0x0111_1c06L;
  private static final int QKEY = 0x0123_4567;
  private static final CmTerms SHORT = new CmTerms(7, 14, 12, 1, 0);

  private final BlockingQueue<CmDatagramRequest> asked = new LinkedBlockingQueue<>();
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

  private CompletableFuture<CmDatagram> resolve(CmTerms terms) {
    return client.resolve(SERVICE, lab.path(0), terms, new byte[] {7});
  }

  private CmDatagramRequest request() throws InterruptedException {
    CmDatagramRequest next = asked.poll(1, TimeUnit.MINUTES);
    assertNotNull(next, "no question");
    return next;
  }

  private static <T extends Throwable> T failure(CompletableFuture<?> of, Class<T> type) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> of.get(1, TimeUnit.MINUTES));
    return assertInstanceOf(type, e.getCause());
  }

  @Test
  @DisplayName("RD-11: a device learns the queue pair and the Q_Key of another one's service")
  void resolved() throws Exception {
    try (CmListener l = server.serve(SERVICE, 4, asked::add)) {
      assertEquals(SERVICE, l.serviceId());
      CompletableFuture<CmDatagram> future = resolve(CmTerms.DEFAULT);
      CmDatagramRequest request = request();
      assertEquals(SERVICE, request.serviceId());
      assertEquals(216, request.privateData().length);
      assertEquals(7, request.privateData()[0]);
      assertEquals(lab.device(0).port(1).lid(), request.source().dlid());
      request.accept(77, QKEY, new byte[] {8});
      CmDatagram answer = future.get(1, TimeUnit.MINUTES);
      assertEquals(77, answer.qpn());
      assertEquals(QKEY, answer.qkey());
      assertEquals(8, answer.privateData()[0]);
      assertThrows(IbInvalidException.class, () -> request.reject(2, new byte[0]));
    }
  }

  @Test
  @DisplayName("API-8: a refusal has its status: no service 1, the handler's own, a failed one's 2")
  void refused() throws Exception {
    assertEquals(1, failure(resolve(SHORT), CmUnresolvedException.class).status());
    CmListener l = server.serve(SERVICE, 4, asked::add);
    CompletableFuture<CmDatagram> future = resolve(CmTerms.DEFAULT);
    request().reject(CmDatagramRequest.NO_QP, new byte[] {9});
    CmUnresolvedException why = failure(future, CmUnresolvedException.class);
    assertEquals(CmDatagramRequest.NO_QP, why.status());
    assertEquals(9, why.privateData()[0]);
    l.close();
    CmListener failing =
        server.serve(
            SERVICE,
            4,
            r -> {
              throw new IllegalStateException("a handler that fails");
            });
    why = failure(resolve(CmTerms.DEFAULT), CmUnresolvedException.class);
    assertEquals(CmDatagramRequest.REJECTED, why.status());
    failing.close();
  }

  @Test
  @DisplayName("API-8: no answer is a timeout that says how often was asked")
  void silent() throws Exception {
    try (CmListener l = server.serve(SERVICE, 4, asked::add)) {
      l.backlog(0);
      IbTimedOutException why = failure(resolve(SHORT), IbTimedOutException.class);
      assertTrue(why.getMessage().contains("2 messages"), why.getMessage());
      assertEquals(0, asked.size());
    }
  }

  @Test
  @DisplayName("API-3, API-7: cancel gives a question up; a closed share ends the others")
  void ended() throws Exception {
    CmListener l = server.serve(SERVICE, 4, asked::add);
    CompletableFuture<CmDatagram> one = resolve(CmTerms.DEFAULT);
    CmDatagramRequest first = request();
    one.cancel(false);
    first.accept(1, QKEY, new byte[0]); // for a question that was given up
    CompletableFuture<CmDatagram> two = resolve(CmTerms.DEFAULT);
    request().accept(2, QKEY, new byte[0]);
    assertEquals(2, two.get(1, TimeUnit.MINUTES).qpn());
    assertEquals(1, client.counters().get("dropped.UNASKED"));
    CompletableFuture<CmDatagram> three = resolve(CmTerms.DEFAULT);
    request();
    client.close();
    failure(three, IbDisassociatedException.class);
    assertThrows(IbDisassociatedException.class, () -> resolve(SHORT));
    l.close(); // refuses the question that waits
    assertEquals(3, server.counters().get("sent.SIDR_REP"));
  }

  @Test
  @DisplayName("RG-12: a share is closed with 1,000 questions outstanding: each ends, none is left")
  void manyOutstanding() throws Exception {
    CmListener l = server.serve(SERVICE, 4, asked::add);
    l.backlog(0);
    List<CompletableFuture<CmDatagram>> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      all.add(resolve(CmTerms.DEFAULT));
    }
    client.close();
    for (CompletableFuture<CmDatagram> each : all) {
      failure(each, IbDisassociatedException.class);
    }
    l.close();
  }
}
