package ib.bench;

import ib.bench.Calls.Window;
import ib.cm.CmClient;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** What {@link Calls} counts. The project's classes are loaded from here on. */
final class CallScenes {
  private static final Duration SETTLED = Duration.ofMillis(500);
  private static final int BYTES = 64;

  private CallScenes() {}

  static List<Window> play() throws Exception {
    return List.of(
        unplug(),
        event(),
        write("WRITE of 64 B on soft, and its poll", StreamCases.soft()),
        write("WRITE of 64 B over UDP, and its poll", StreamCases.datagrams()),
        connection(true),
        connection(false));
  }

  private static Window unplug() {
    Unplug unplug = new Unplug();
    unplug.plug();
    Window window = window("unplug of an idle device with five clients", unplug::unplug);
    unplug.close();
    return window;
  }

  private static Window event() throws InterruptedException {
    StandaloneCore midlayer = StandaloneCore.create();
    Unplug.Node node = new Unplug.Node(BuiltinSm.newFabric(), "calls0", 0x02c9_0300_000c_0001L);
    CountDownLatch heard = new CountDownLatch(1);
    midlayer.core().registerClient(new EventListener(heard::countDown));
    DeviceRegistration registration = midlayer.drivers().register(node);
    node.dispatchEvent(EventType.PORT_ACTIVE, 1); // the device's thread is made
    heard.await();
    Window window =
        window("event with one typed handler", () -> node.dispatchEvent(EventType.PORT_ACTIVE, 1));
    registration.unregister();
    node.stop();
    midlayer.close();
    return window;
  }

  private static Window write(String what, StandaloneFabric fabric) {
    try (fabric;
        End here = new End(fabric.device(fabric.names().getFirst()), BYTES);
        End there = new End(fabric.device(fabric.names().getLast()), BYTES)) {
      QueuePairs.connect(here.qp, there.qp);
      write(here, there); // the first one looks for the peer
      return window(what, () -> write(here, there));
    }
  }

  private static void write(End here, End there) {
    here.write(there, BYTES, SendFlags.SIGNALED);
    End.reapOne(here.sendCq);
  }

  /** A connection by address: until the listener has the request, or from there until it stands. */
  private static Window connection(boolean asks) throws Exception {
    try (StandaloneFabric fabric = SoftFabric.open("calls0", "calls1")) {
      CmClient manager = CmClient.create();
      fabric.core().registerClient(manager);
      CompletableFuture<RdmaRequest> asked = new CompletableFuture<>();
      try (RdmaCm server = RdmaCm.open(fabric.core(), manager, "server");
          RdmaCm client = RdmaCm.open(fabric.core(), manager, "client")) {
        int port =
            server
                .listen(new InetSocketAddress(0), PortSpace.TCP, 1, asked::complete)
                .localAddress()
                .getPort();
        InetSocketAddress to = address(fabric, "calls1", port);
        RdmaOptions options = RdmaOptions.rc().from(address(fabric, "calls0", 0));
        CompletableFuture<RdmaConnection> begun = new CompletableFuture<>();
        Runnable ask =
            () -> {
              begun.complete(
                  client.start(to, options, new Maker(fabric.device("calls0")), new Deaf()));
              asked.join();
            };
        Runnable accept =
            () -> {
              asked.join().accept(options, new Maker(fabric.device("calls1")), new Deaf());
              begun.join().established().join();
            };
        if (asks) {
          Window window = window("connect by address on soft, until it is heard of", ask);
          accept.run();
          return window;
        }
        ask.run();
        return window("accept on soft, until both ends are connected", accept);
      }
    }
  }

  private static InetSocketAddress address(StandaloneFabric fabric, String device, int port)
      throws UnknownHostException {
    byte[] gid = fabric.device(device).gid(1, 0).toBytes();
    return new InetSocketAddress(InetAddress.getByAddress(gid), port);
  }

  /** One queue pair, and what it needs. */
  private static final class Maker implements QpFactory {
    private final ProtectionDomain pd;
    private final CompletionQueue cq;

    Maker(IbDevice device) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(2));
    }

    @Override
    public QueuePair make(IbDevice device, int port) {
      return pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0)));
    }

    @Override
    public void destroyed(QueuePair qp) {
      cq.close();
      pd.close();
    }
  }

  private static final class Deaf implements RdmaHandler {}

  /** Nothing else happens before, and all that the action has begun ends within. */
  private static Window window(String what, Runnable action) {
    LockSupport.parkNanos(SETTLED.toNanos());
    Instant begin = Instant.now();
    action.run();
    LockSupport.parkNanos(SETTLED.toNanos());
    return new Window(what, begin, Instant.now());
  }
}
