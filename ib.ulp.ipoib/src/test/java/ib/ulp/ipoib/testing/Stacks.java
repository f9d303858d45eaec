package ib.ulp.ipoib.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.link.Shared;
import ib.ulp.ipoib.link.Statistics;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Stacks of this JVM on one fabric that a test turns by hand, on a clock of their own. Beneath the
 * door, {@code SoftFabric}: the devices have no thread of a driver, so that the test is the only
 * one that moves time.
 */
public final class Stacks implements AutoCloseable {
  private static final long MS = 1_000_000L;
  private final AtomicLong clock = new AtomicLong();
  private final StandaloneCore core = StandaloneCore.create();
  private final CmClient cm = CmClient.create();
  private final ClientRegistration below = core.core().registerClient(cm);
  private final Fabric fabric = BuiltinSm.newFabric();
  public final FakeSubnet subnet = new FakeSubnet(Runnable::run);
  public final List<SoftNode> nodes = new ArrayList<>();
  private final List<DeviceRegistration> plugs = new ArrayList<>();
  private final List<DeviceLease> leases = new ArrayList<>();
  private final List<Stack> stacks = new ArrayList<>();

  /** A link with a stack on it, between which a test can put its hand. */
  public final class Stack implements Host {
    public final Link link;
    public final NetIf host;
    public boolean deaf;
    public Consumer<Frame> tap = frame -> {};
    private final Loop loop;

    Stack(DeviceLease lease, int probes) {
      loop =
          new Loop(
              clock::get,
              new Loop.Sleeper() {
                @Override
                public void sleep(long nanos) {
                  throw new AssertionError("nobody runs this loop");
                }

                @Override
                public void wake() {
                  throw new AssertionError("nobody runs this loop");
                }
              });
      link =
          new Link(
              loop,
              lease.device(),
              1,
              LinkConfig.DEFAULT,
              subnet.open(lease.device(), 1),
              new Shared(cm));
      host = new NetIf(link, probes);
      link.start(this);
    }

    /** {@return the link address, in words} */
    public String address() {
      return link.state().address().toString();
    }

    /** {@return the addresses, in words} */
    public List<String> states() {
      CompletableFuture<List<String>> states = host.addressStates();
      settle();
      return states.join();
    }

    /** {@return how many packets were sent} */
    public long sent() {
      return link.statistics().of(Statistics.Count.TX_PACKETS);
    }

    @Override
    public void linkChanged(LinkState state) {
      host.linkChanged(state);
    }

    @Override
    public void received(Frame frame) {
      tap.accept(frame);
      if (!deaf) {
        host.received(frame);
      }
    }

    @Override
    public void tooLong(Outgoing packet, int mtu) {
      host.tooLong(packet, mtu);
    }

    @Override
    public void receivedAll() {
      host.receivedAll();
    }

    @Override
    public void writable() {
      host.writable();
    }

    @Override
    public Map<String, String> neighbours() {
      return host.neighbours();
    }

    @Override
    public void close() {
      host.close();
    }
  }

  /** One more, on a device of its own. */
  public Stack plug(int probes) {
    int i = nodes.size();
    SoftNode node = new SoftNode(fabric, "soft" + i, 0x02c9030000100000L + 0x100L * i);
    nodes.add(node);
    plugs.add(core.drivers().register(node));
    leases.add(core.core().lease("soft" + i, "test"));
    return replug(i, probes);
  }

  /** Another link on a device whose last one has stopped. */
  public Stack replug(int device, int probes) {
    Stack stack = new Stack(leases.get(device), probes);
    stacks.add(stack);
    settle();
    return stack;
  }

  /** Sends a datagram past all that IPoIB does, from a queue pair of its own. */
  public void inject(int device, LinkAddress to, int qkey, byte[] bytes) {
    IbDevice from = leases.get(device).device();
    int lid =
        leases.stream()
            .map(DeviceLease::device)
            .filter(d -> d.gid(1, 0).equals(to.gid()))
            .mapToInt(d -> d.port(1).lid())
            .findFirst()
            .orElseThrow();
    try (ProtectionDomain pd = from.allocPd();
        CompletionQueue cq = from.createCq(new CqInit(4, (q, context) -> {}, null));
        QueuePair qp = pd.createQp(new QpInit(QpType.UD, cq, new QpCap(4, 4, 1, 1, 0)));
        MemoryRegion region = pd.allocMemory(4096, 64, Access.LOCAL_WRITE);
        AddressHandle ah = pd.createAh(new AhAttr(lid, 0, 0, 0, 1, null))) {
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, region.segment(), 0, bytes.length);
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(0));
      qp.modify(new QpAttr().state(QpState.RTR));
      qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
      qp.wrStart();
      qp.wrId(1).wrFlags(SendFlags.SIGNALED).wrSend();
      qp.wrSetUdAddress(ah, to.qpn(), qkey);
      qp.wrSetSge(region.lkey(), region.iova(), bytes.length);
      assertEquals(PostStatus.OK, qp.wrComplete());
      WorkCompletion[] done = {new WorkCompletion()};
      Lab.await(() -> cq.poll(done, 1) == 1, "sent");
      assertEquals(WcStatus.SUCCESS, done[0].status());
    }
    settle();
  }

  /** {@return datagrams that a port has refused for their Q_Key} */
  public int qkeyViolations(int device) {
    return nodes.get(device).port().attr().qkeyViolationCounter();
  }

  /** Turns until there is nothing to do. */
  public void settle() {
    for (int round = 0; round < 3; round++) {
      for (Stack stack : stacks) {
        for (int i = 0; i < 10_000 && stack.loop.turn(); i++) {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** Lets time pass. */
  public void pass(long ms) {
    clock.addAndGet(ms * MS);
    settle();
  }

  @Override
  public void close() {
    stacks.forEach(s -> s.link.stop());
    leases.forEach(DeviceLease::close);
    plugs.reversed().forEach(DeviceRegistration::unregister);
    nodes.forEach(SoftNode::close);
    below.unregister();
    core.close();
  }
}
