package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.cm.CmUnresolvedException;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.tools.getopt.CommandException;
import ib.tools.rdmacm.Rping;
import ib.tools.rdmacm.Rstream;
import ib.tools.rdmacm.Udaddy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Connects on the host's device, which must be one of RoCE with an IPv4 address. */
@DisplayName("issue 17, V8: connections by the kernel's connection manager")
@EnabledIfSystemProperty(
    named = VerbsBench.DEVICE,
    matches = ".+",
    disabledReason = "no RDMA device of the host was named: VerbsIT runs it in the Linux peer")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostConnectionsTest {
  private static final String DEVICE = System.getProperty(VerbsBench.DEVICE, "");
  private static final String PINGS = "-C 3 -v -V";
  private static final String NO_SERVICE = "RDMA_CM_EVENT_UNREACHABLE, error: 1";
  private static final String LAST =
      "ping data: rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst";

  private final StandaloneFabric fabric =
      StandaloneFabric.options(VerbsDriver.PID).device(DEVICE, Map.of()).open();
  private final CmClient manager = CmClient.create();
  private ClientRegistration registration;

  @BeforeEach
  void register() {
    registration = fabric.core().registerClient(manager);
  }

  @AfterEach
  void close() {
    registration.unregister();
    fabric.close();
  }

  /** {@return the first IPv4 address of the device} */
  private String address() throws Exception {
    try (DeviceLease lease = fabric.core().lease(DEVICE, "address")) {
      IbDevice device = lease.device();
      for (int i = 0; i < device.port(1).gidTableLen(); i++) {
        Gid gid = device.gid(1, i);
        if (gid.isIpv4Mapped()) {
          return InetAddress.getByAddress(gid.toBytes()).getHostAddress();
        }
      }
    }
    throw new AssertionError("no IPv4 address on " + DEVICE);
  }

  private static <T> FutureTask<T> start(Callable<T> what) {
    FutureTask<T> task = new FutureTask<>(what);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private List<String> ours(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    Rping.run(fabric.core(), manager, to, to, line.split(" "));
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> linux(String line) throws Exception {
    return linux("rping", line);
  }

  private static List<String> linux(String program, String line) throws Exception {
    List<String> words = new ArrayList<>(List.of("timeout", "120", program));
    words.addAll(List.of(line.split(" ")));
    Process p = new ProcessBuilder(words).redirectErrorStream(true).start();
    return new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> done(FutureTask<List<String>> task) throws Exception {
    try {
      return task.get(10, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e);
    }
  }

  /** Waits until the server listens: a client is refused before. */
  private List<String> client(Callable<List<String>> run) throws Exception {
    for (int i = 0; i < 1500; i++) {
      try {
        List<String> out = run.call();
        if (out.stream().noneMatch(l -> l.contains("REJECTED") || l.contains(NO_SERVICE))) {
          return out;
        }
      } catch (CommandException e) {
        if (!e.getMessage().contains("error 8")
            && !e.getMessage().contains("nothing listens")
            && !e.getMessage().contains(NO_SERVICE)) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(200); // the server's start is seen from outside only
    }
    throw new AssertionError("the server does not listen");
  }

  @Test
  @DisplayName("rping of ib at both ends: connect, accept, three validated pings, disconnect")
  void ours() throws Exception {
    String at = "-a " + address() + " ";
    var server = start(() -> ours("-s -v " + at));
    List<String> client = client(() -> ours("-c " + at + PINGS));
    assertTrue(client.contains(LAST), client.toString());
    List<String> served = done(server);
    assertTrue(served.contains("server " + LAST), served.toString());
    assertTrue(served.contains("server DISCONNECT EVENT..."), served.toString());
  }

  @Test
  @DisplayName("ib's rping connects to Linux's, and Linux's to ib's")
  void linux() throws Exception {
    String at = "-a " + address() + " ";
    var theirs = start(() -> linux("-s -v -p 7175 " + at));
    List<String> client = client(() -> ours("-c -p 7175 " + at + PINGS));
    assertTrue(client.contains(LAST), client.toString());
    List<String> served = done(theirs);
    assertTrue(served.contains("server " + LAST), served.toString());
    var mine = start(() -> ours("-s -v -p 7176"));
    List<String> pings = client(() -> linux("-c -p 7176 " + at + PINGS));
    assertTrue(pings.contains(LAST), pings.toString());
    assertTrue(done(mine).contains("server " + LAST));
  }

  @Test
  @DisplayName("where nothing listens: reason 8; the port of another program: in use")
  void refused() throws Exception {
    String at = "-a " + address() + " ";
    CommandException e =
        assertThrows(CommandException.class, () -> ours("-c -p 7177 " + at + "-C 1"));
    assertTrue(e.getMessage().contains("RDMA_CM_EVENT_REJECTED, error 8"), e.getMessage());
    var theirs = start(() -> linux("-s -p 7178 " + at));
    try (RdmaCm cm = RdmaCm.open(fabric.core(), manager, "test")) {
      IbExistsException inUse = null;
      for (int i = 0; i < 3000 && inUse == null; i++) {
        inUse = inUse(cm);
        TimeUnit.MILLISECONDS.sleep(100); // the server's start is seen from outside only
      }
      assertNotNull(inUse);
      assertTrue(inUse.getMessage().contains("port 7178 is in use"), inUse.getMessage());
    }
    assertEquals(List.of(), manager.ids());
    ours("-c -p 7178 " + at + "-C 1");
    done(theirs);
  }

  private static @Nullable IbExistsException inUse(RdmaCm cm) {
    try {
      cm.listen(new InetSocketAddress(7178), PortSpace.TCP, 1, r -> r.reject(new byte[0])).close();
      return null;
    } catch (IbExistsException e) {
      return e;
    }
  }

  private List<String> stream(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    Rstream.run(fabric.core(), manager, to, to, line.split(" "));
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  @DisplayName("streams: rstream of ib with Linux's, every byte compared at both ends")
  void streams() throws Exception {
    String options = "-T v -p 7179 -S 4096 -C 5 -I 3 ";
    var theirs = start(() -> linux("rstream", options + "-b " + address()));
    List<String> mine = client(() -> stream(options + "-s " + address()));
    assertTrue(mine.stream().anyMatch(l -> l.startsWith("custom ")), mine.toString());
    List<String> served = done(theirs);
    assertTrue(served.stream().anyMatch(l -> l.startsWith("custom ")), served.toString());
  }

  @Test
  @EnabledIfSystemProperty(named = "ib.verbs.netdev", matches = ".+")
  @DisplayName(
      "API-6: the kernel takes the device away: the connections end, rdma link delete returns, and"
          + " the listener listens on the device that comes back")
  void removed() throws Exception {
    String address = address();
    BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();
    BlockingQueue<RdmaEnd.Kind> ends = new LinkedBlockingQueue<>();
    Ended handler = new Ended(ends);
    try (RdmaCm cm = RdmaCm.open(fabric.core(), manager, "test");
        RdmaListener ear =
            cm.listen(new InetSocketAddress(7180), PortSpace.TCP, 2, requests::add)) {
      InetSocketAddress at = new InetSocketAddress(address, ear.localAddress().getPort());
      for (int i = 0; i < 2; i++) {
        RdmaConnection active = cm.start(at, RdmaOptions.rc(), new OnePair(QpType.RC), handler);
        RdmaRequest asked =
            Arrivals.next(
                requests,
                "request at the " + ear + (i == 0 ? "" : " of the device that has come back"),
                () -> Arrivals.standing(manager, active));
        RdmaConnection passive = asked.accept(RdmaOptions.rc(), new OnePair(QpType.RC), handler);
        Supplier<String> both = () -> Arrivals.standing(manager, active, passive);
        Arrivals.up(both, active, passive);
        if (i == 0) {
          HostPlugTest.rdma("delete", DEVICE);
          HostPlugTest.rdma("add", DEVICE, "type", "rxe", "netdev", HostPlugTest.NETDEV);
          List<RdmaEnd.Kind> two =
              List.of(
                  Arrivals.next(ends, "end of a connection", both),
                  Arrivals.next(ends, "end of the other connection", both));
          assertTrue(two.contains(RdmaEnd.Kind.DEVICE_REMOVAL), two.toString());
          assertTrue( // the end of one is news for the other, which is on the same device
              two.stream().noneMatch(k -> k == RdmaEnd.Kind.CLOSED), two.toString());
          awaitListener();
        }
      }
    }
    assertEquals(2, ends.size());
    assertTrue(ends.contains(RdmaEnd.Kind.CLOSED), ends.toString()); // the other may hear of it
  }

  private void awaitListener() throws InterruptedException {
    for (int i = 0; i < 1800 && manager.ids().isEmpty(); i++) {
      TimeUnit.MILLISECONDS.sleep(100); // the kernel's announcement has no moment of its own here
    }
    List<CmId> ids = manager.ids();
    assertEquals(1, ids.size(), () -> "the listener alone, on the device that came back: " + ids);
  }

  private List<String> udaddy(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    Udaddy.run(fabric.core(), manager, to, to, line.split(" "));
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  @EnabledIfSystemProperty(
      named = "ib.interop.full",
      matches = "true",
      disabledReason = "on request: -Dib.interop.full=true")
  @DisplayName("V8: datagram services: udaddy of ib with Linux's, each as server and as client")
  void datagrams() throws Exception {
    String options = "-c 1 -C 3 -S 64 "; // of two, one may come before the server listens
    var theirs = start(() -> linux("udaddy", options + "-b " + address()));
    List<String> mine = client(() -> udaddy(options + "-s " + address()));
    assertTrue(mine.contains("data transfers complete"), mine.toString());
    List<String> served = done(theirs);
    assertTrue(served.contains("return status 0"), served.toString());
    var ours = start(() -> udaddy(options + "-b " + address()));
    List<String> client = client(() -> linux("udaddy", options + "-s " + address()));
    assertTrue(client.contains("return status 0"), client.toString());
    assertTrue(done(ours).contains("data transfers complete"));
    assertEquals(List.of(), manager.ids());
  }

  @Test
  @DisplayName("V8: PortSpace.IB connects; a service that refuses says so, where none is: status 1")
  void spaces() throws Exception {
    InetSocketAddress at = new InetSocketAddress(address(), 7181);
    BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();
    BlockingQueue<RdmaEnd.Kind> ends = new LinkedBlockingQueue<>();
    Ended handler = new Ended(ends);
    try (RdmaCm cm = RdmaCm.open(fabric.core(), manager, "test")) {
      RdmaOptions ib = RdmaOptions.rc().space(PortSpace.IB);
      cm.listen(at, PortSpace.IB, 1, requests::add);
      RdmaConnection active = cm.start(at, ib, new OnePair(QpType.RC), handler);
      RdmaRequest asked =
          Arrivals.next(requests, "request", () -> Arrivals.standing(manager, active));
      RdmaConnection passive = asked.accept(ib, new OnePair(QpType.RC), handler);
      Arrivals.up(() -> Arrivals.standing(manager, active, passive), active, passive);
      assertEquals(1, status(cm, at), "no service");
      cm.listen(at, PortSpace.UDP, 1, r -> r.reject(new byte[] {1}));
      assertEquals(2, status(cm, at), "it refuses");
    }
    assertEquals(2, ends.size());
  }

  private static int status(RdmaCm cm, InetSocketAddress at) {
    return assertThrows(
            CmUnresolvedException.class,
            () -> cm.connect(at, RdmaOptions.ud(), new OnePair(QpType.UD)))
        .status();
  }

  @Test
  @DisplayName("V8: a multicast group is not found: no device of the host joins one")
  void group() throws Exception {
    BlockingQueue<RdmaEnd.Kind> ends = new LinkedBlockingQueue<>();
    InetAddress group = InetAddress.getByName("239.1.2.3");
    try (RdmaCm cm = RdmaCm.open(fabric.core(), manager, "test")) {
      cm.join(group, RdmaOptions.ud(), new OnePair(QpType.UD), new Ended(ends));
      RdmaEnd.Kind end = Arrivals.next(ends, "end", () -> Arrivals.standing(manager));
      assertEquals(RdmaEnd.Kind.ADDR_ERROR, end);
    }
  }

  /** Writes down how connections end, and closes them. */
  private record Ended(BlockingQueue<RdmaEnd.Kind> ends) implements RdmaHandler {
    @Override
    public void ended(RdmaConnection connection, RdmaEnd end) {
      connection.close();
      ends.add(end.kind());
    }
  }

  /** A queue pair with what it needs. */
  private static final class OnePair implements QpFactory {
    private final QpType type;
    private @Nullable ProtectionDomain pd;
    private @Nullable CompletionQueue cq;

    OnePair(QpType type) {
      this.type = type;
    }

    @Override
    public QueuePair make(IbDevice device, int port) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(8));
      return pd.createQp(new QpInit(type, cq, new QpCap(4, 4, 1, 1, 0)));
    }

    @Override
    public void destroyed(QueuePair qp) {
      cq.close();
      pd.close();
    }
  }
}
