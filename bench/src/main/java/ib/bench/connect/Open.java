package ib.bench.connect;

import ib.cm.CmClient;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.ClientRegistration;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.StandaloneFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are open at once: the time in which they are made, by 100 threads in turn or all
 * at once, their memory, their threads, and the time in which the server's device is removed under
 * them; then connections one after the other with lost messages.
 */
final class Open {
  private static final int CLIENTS = 100;
  private static final double MS = 1e6;
  private static final CmTerms QUICK = new CmTerms(7, 14, 14, 15, 0);

  private final StandaloneFabric fabric;
  private final ClientRegistration manager;
  private final CmClient cm;
  private final RdmaCm server;
  private final RdmaCm client;
  private final Factory mine = new Factory(false);
  private final Factory theirs = new Factory(false);
  private final RdmaListener ear;
  private final InetSocketAddress to;
  private final RdmaOptions options;

  Open(StandaloneFabric fabric, InetAddress one, InetAddress two) {
    this.fabric = fabric;
    cm = CmClient.create();
    manager = fabric.core().registerClient(cm);
    server = RdmaCm.open(fabric.core(), cm, "server");
    client = RdmaCm.open(fabric.core(), cm, "client");
    ear =
        server.listen(
            new InetSocketAddress(0),
            PortSpace.TCP,
            0,
            request -> request.accept(RdmaOptions.rc().terms(QUICK), theirs, new Closes(null)));
    to = new InetSocketAddress(two, ear.localAddress().getPort());
    options = RdmaOptions.rc().from(new InetSocketAddress(one, 0));
  }

  /** Closes a connection at its end, and counts it. */
  private record Closes(@Nullable CountDownLatch left) implements RdmaHandler {
    @Override
    public void ended(RdmaConnection connection, RdmaEnd how) {
      connection.close();
      if (left != null) {
        left.countDown();
      }
    }
  }

  private static long heap() {
    System.gc();
    Runtime machine = Runtime.getRuntime();
    return machine.totalMemory() - machine.freeMemory();
  }

  /** Prints a row. */
  void open(String name, int count, boolean together) throws Exception {
    RdmaConnection warm = client.connect(to, options, mine);
    long heap = heap();
    int threads = Thread.getAllStackTraces().size();
    CountDownLatch left = new CountDownLatch(count);
    Map<String, Long> before = lost();
    long begun = System.nanoTime();
    List<RdmaConnection> all = together ? together(count, left) : inTurn(count, left);
    double made = (System.nanoTime() - begun) / MS;
    int more = Thread.getAllStackTraces().size() - threads;
    long bytes = (heap() - heap) / (2L * count);
    Map<String, Long> lost = lostSince(before);
    begun = System.nanoTime();
    String device = fabric.names().get(1);
    fabric.unplug(device);
    double removed = (System.nanoTime() - begun) / MS;
    long heard = count - left.getCount(); // a DREQ is sent once then, as by Linux
    begun = System.nanoTime();
    all.forEach(RdmaConnection::close);
    warm.close();
    left.await();
    double ended = (System.nanoTime() - begun) / MS;
    System.out.printf(
        Locale.ROOT,
        "| %s, %,d %s | %,.0f | %,d | %d | %,.0f | %,d | %,.0f | %s |%n",
        name,
        all.size(),
        together ? "at once" : "by " + CLIENTS + " threads",
        made,
        bytes,
        more,
        removed,
        heard,
        ended,
        lost);
    fabric.plug(device);
  }

  /** {@return what was lost, refused or sent again so far, by reason, at all ports} */
  private Map<String, Long> lost() {
    Map<String, Long> all = new TreeMap<>();
    for (String each : fabric.names()) {
      try (CmPort port = cm.open(each, 1)) {
        add(all, port.counters(), "dropped.", "repeated.");
      }
      add(all, fabric.core().managementCounters(each, 1), "mad_no_room", "mad_send_errors");
      add(all, fabric.core().counters(each, 1), "drop_no_receive");
    }
    return all;
  }

  private static void add(Map<String, Long> to, Map<String, Long> from, String... prefixes) {
    from.forEach(
        (name, n) -> {
          if (n != 0 && Arrays.stream(prefixes).anyMatch(name::startsWith)) {
            to.merge(name, n, Long::sum);
          }
        });
  }

  private Map<String, Long> lostSince(Map<String, Long> before) {
    Map<String, Long> more = lost();
    before.forEach((name, n) -> more.merge(name, -n, Long::sum));
    more.values().removeIf(n -> n == 0);
    return more;
  }

  private List<RdmaConnection> together(int count, CountDownLatch left)
      throws InterruptedException, ExecutionException {
    List<RdmaConnection> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(client.start(to, options, mine, new Closes(left)));
    }
    for (RdmaConnection each : all) {
      each.established().get();
    }
    return all;
  }

  private List<RdmaConnection> inTurn(int count, CountDownLatch left) throws InterruptedException {
    List<List<RdmaConnection>> parts = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      List<RdmaConnection> part = new ArrayList<>();
      parts.add(part);
      threads.add(
          Thread.startVirtualThread(
              () -> {
                for (int n = 0; n < count / CLIENTS; n++) {
                  RdmaConnection c = client.start(to, options, mine, new Closes(left));
                  c.established().join();
                  part.add(c);
                }
              }));
    }
    for (Thread each : threads) {
      each.join();
    }
    return parts.stream().flatMap(List::stream).toList();
  }

  /** Connects one after the other while a fifth of the packets is lost at each side. */
  void lossy(String name, int count) throws Exception {
    for (String each : fabric.names()) {
      fabric.service(each, FaultInjection.class).add(FaultRule.parse("loss rate=0.2 dir=out"));
    }
    double[] ms = new double[count];
    for (int i = 0; i < count; i++) {
      long begun = System.nanoTime();
      RdmaConnection c = client.connect(to, options.terms(QUICK), mine);
      ms[i] = (System.nanoTime() - begun) / MS;
      c.close();
    }
    for (String each : fabric.names()) {
      fabric.service(each, FaultInjection.class).clear();
    }
    Arrays.sort(ms);
    System.out.printf(
        Locale.ROOT,
        "| %s, %,d with 20 %% loss each way | p50 %,.0f ms | p99 %,.0f ms | most %,.0f ms |%n",
        name,
        count,
        ms[count / 2],
        ms[count * 99 / 100],
        ms[count - 1]);
  }

  /** Closes all. */
  void end() throws InterruptedException {
    ear.close();
    client.close();
    server.close();
    mine.close();
    theirs.close();
    manager.unregister();
    fabric.close();
  }
}
