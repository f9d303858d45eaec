package samples.nvmet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.ClientRegistration;
import ib.core.client.IbCore;
import ib.core.verbs.IbDevice;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import samples.nvmet.HostQueue.Response;

/** A target with a clock of the test's, and a host on another device. */
final class Lab implements AutoCloseable {
  static final String NQN = "nqn.2026-11.test:disk";
  static final int BYTES = 8 << 20;
  static final Limits LIMITS = new Limits(8, 128, 2, Duration.ofSeconds(10));
  static final int DATA = 4 << 20;

  final AtomicLong clock = new AtomicLong();
  final Store store = Store.memory(BYTES);
  final Target target;
  final RdmaCm host;
  private final ClientRegistration registered;
  private InetSocketAddress at;
  private InetSocketAddress from;

  Lab(IbCore core, IbDevice device, IbDevice hosts) {
    this(core, device, hosts, LIMITS);
  }

  /** The host connects to an address of the first device, from one of the second. */
  Lab(IbCore core, IbDevice device, IbDevice hosts, Limits limits) {
    CmClient cm = CmClient.create();
    registered = core.registerClient(cm);
    Target.Settings settings = new Target.Settings(new Subsystem(NQN, store), limits, clock::get);
    target = new Target(core, cm, new InetSocketAddress(0), settings, false);
    host = RdmaCm.open(core, cm, "host");
    go(device, hosts);
  }

  /** The host connects to an address of the first device, from one of the second, from now on. */
  void go(IbDevice device, IbDevice hosts) {
    at = new InetSocketAddress(address(device), target.address().getPort());
    from = new InetSocketAddress(address(hosts), 0);
  }

  private static InetAddress address(IbDevice device) {
    try {
      return InetAddress.getByAddress(device.gid(1, 0).toBytes());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  InetSocketAddress from() {
    return from;
  }

  InetSocketAddress at() {
    return at;
  }

  HostQueue connection(int qid) throws InterruptedException {
    int depth = qid == 0 ? Limits.ADMIN_DEPTH : LIMITS.depth();
    return connection(new HostQueue.Sizes(qid, depth, DATA, depth));
  }

  Initiator initiator() throws InterruptedException {
    return new Initiator(host, at, RdmaOptions.rc().from(from), NQN);
  }

  HostQueue connection(HostQueue.Sizes sizes) throws InterruptedException {
    return new HostQueue(host, at, RdmaOptions.rc().from(from), sizes);
  }

  static byte[] connectData(int cntlid, String subsystem) {
    return Sqe.connectData(cntlid, subsystem, "nqn.2026-11.test:host");
  }

  /** Sends Connect on a connection, with its data in memory. */
  static Response join(HostQueue queue, int cntlid, String subsystem) {
    MemorySegment.copy(
        MemorySegment.ofArray(connectData(cntlid, subsystem)), 0, queue.segment(), 0, 1024);
    return queue.run(queue.keyed(Sqe.connect(queue.qid, queue.depth), 0, 1024));
  }

  /** {@return an admin queue of a controller that is enabled} */
  HostQueue admin() throws InterruptedException {
    HostQueue queue = connection(0);
    assertSuccess(join(queue, 0xffff, NQN));
    enable(queue);
    return queue;
  }

  static void enable(HostQueue admin) {
    assertSuccess(admin.run(Sqe.fabrics(0).u32(Capsule.PROPERTY, 0x14).u64(48, 0x460001)));
    assertEquals(1, admin.run(Sqe.fabrics(4).u32(Capsule.PROPERTY, 0x1c)).result());
  }

  /** {@return an I/O queue of a controller} */
  HostQueue io(int qid, long controller) throws InterruptedException {
    HostQueue queue = connection(qid);
    assertSuccess(join(queue, (int) controller, NQN));
    return queue;
  }

  /** {@return the number of the controller of an admin queue} */
  static long controller(HostQueue admin) {
    admin.segment().fill((byte) 0);
    assertSuccess(admin.run(admin.keyed(Sqe.identify(1, 0), 0, 4096)));
    return Wire.u16(admin.segment(), 78);
  }

  static void assertSuccess(Response response) {
    assertEquals(Status.SUCCESS.field(), response.status());
  }

  static void assertStatus(Status expected, Response response) {
    assertEquals(
        Integer.toHexString(expected.field()),
        Integer.toHexString(response.status()),
        expected.name());
  }

  static void until(BooleanSupplier what) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!what.getAsBoolean()) {
      if (System.nanoTime() > end) {
        fail("it does not come about");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Nothing was thrown: what was refused is in a test's own words. */
  void assertNothingThrown() {
    Map<String, Long> counters = target.counters();
    assertEquals(
        0, counters.keySet().stream().filter(r -> r.contains("java.")).count(), counters::toString);
  }

  static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() {
    host.close();
    target.close();
    registered.unregister();
    store.close();
    assertNothingThrown();
  }
}
