package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmPort;
import ib.core.client.DeviceLease;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
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
import ib.ulp.ipoib.cm.Connection;
import ib.ulp.ipoib.cm.Connections;
import ib.ulp.ipoib.cm.RcEnd;
import ib.ulp.ipoib.cm.Refusals;
import ib.ulp.ipoib.cm.Self;
import ib.ulp.ipoib.cm.Way;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.testing.FakeSubnet;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;

/**
 * Somebody with queue pairs of his own on the subnet, who sends an interface what no interface
 * would: datagrams, and messages by a connection that the interface has taken.
 */
final class Stranger implements Connections.Owner, AutoCloseable {
  static final int BYTES = 1 << 16;
  private static final int DEPTH = 16;
  private static final int FOREVER = 7;

  private final DeviceLease lease;
  private final IbDevice device;
  private final IbDevice victim;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion region;
  private final QueuePair ud;
  private final Loop loop;
  private final CmPort cm;
  private final Connections connections;
  private final WorkCompletion[] done = {new WorkCompletion()};
  private final LinkAddress peer;
  private final DeviceLease other;

  /** A connected queue pair, whose losses the sender makes good. */
  private final class End implements RcEnd {
    private final QueuePair qp =
        pd.createQp(new QpInit(QpType.RC, cq, new QpCap(DEPTH, DEPTH, 1, 1, 0)));
    private final int psn = QueuePair.randomPsn();

    @Override
    public int qpn() {
      return qp.qpn();
    }

    @Override
    public int psn() {
      return psn;
    }

    @Override
    public void connect(AhAttr way, Mtu mtu, int ackTimeout, int peerQpn, int firstPsn) {
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
      qp.modify(
          new QpAttr()
              .state(QpState.RTR)
              .av(way)
              .pathMtu(mtu)
              .destQpn(peerQpn)
              .rqPsn(psn)
              .maxDestRdAtomic(1)
              .minRnrTimer(1));
      qp.modify(
          new QpAttr()
              .state(QpState.RTS)
              .sqPsn(firstPsn)
              .timeout(ackTimeout)
              .retryCount(FOREVER)
              .rnrRetry(FOREVER)
              .maxRdAtomic(1));
    }

    @Override
    public void close() {
      qp.close();
    }
  }

  /** On one device of a lab, against the interface of another, which has connected mode. */
  Stranger(Lab lab, String own, String others, LinkAddress peer) {
    this.peer = peer.plain();
    lease = lab.core.core().lease(own, "stranger");
    other = lab.core.core().lease(others, "stranger");
    device = lease.device();
    victim = other.device();
    pd = device.allocPd();
    cq = device.createCq(new CqInit(4 * DEPTH, (q, context) -> {}, null));
    region = pd.allocMemory(BYTES, 64, Access.LOCAL_WRITE);
    ud = pd.createQp(new QpInit(QpType.UD, cq, new QpCap(DEPTH, DEPTH, 1, 1, 0)));
    ud.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(0));
    ud.modify(new QpAttr().state(QpState.RTR));
    ud.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
    loop =
        new Loop(
            System::nanoTime,
            new Loop.Sleeper() {
              @Override
              public void sleep(long nanos) {
                throw new AssertionError("nobody runs this loop");
              }

              @Override
              public void wake() {
                throw new AssertionError("nobody sleeps");
              }
            });
    Refusals refusals = new Refusals();
    cm = lab.cm.open(own, 1);
    connections = new Connections(loop, cm, ud.qpn(), this, refusals);
    connections.start(new Self(address(), 0xffff, 0, false, 65_524, false));
  }

  /** {@return his link address} */
  LinkAddress address() {
    return new LinkAddress(0, ud.qpn(), device.gid(1, 0));
  }

  /** {@return where he writes what he sends} */
  MemorySegment memory() {
    return region.segment();
  }

  private AhAttr way(boolean global) {
    int lid = victim.port(1).lid();
    Gid gid = victim.gid(1, 0);
    return global ? AhAttr.ofLid(1, lid, 0, GlobalRoute.to(gid, 0)) : AhAttr.ofLid(1, lid, 0);
  }

  /** Sends a datagram to the interface. */
  void datagram(int length, boolean global) {
    try (AddressHandle ah = pd.createAh(way(global))) {
      ud.wrStart();
      ud.wrId(1).wrFlags(SendFlags.SIGNALED).wrSend();
      ud.wrSetUdAddress(ah, peer.qpn(), FakeSubnet.QKEY);
      ud.wrSetSge(region.lkey(), region.iova(), length);
      assertEquals(PostStatus.OK, ud.wrComplete());
      assertEquals(WcStatus.SUCCESS, completed());
    }
  }

  /** Sends a message by a connection, which is made first where there is none. */
  WcStatus message(int length) {
    Connection c = connections.to(peer);
    if (c == null) {
      connect();
      c = connections.to(peer);
    }
    QueuePair qp = ((End) c.end()).qp;
    qp.wrStart();
    qp.wrId(1).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(region.lkey(), region.iova(), length);
    assertEquals(PostStatus.OK, qp.wrComplete());
    WcStatus status = completed();
    if (status != WcStatus.SUCCESS) {
      connections.disconnect(c, "refused: " + status);
      turn();
    }
    return status;
  }

  private void connect() {
    connections.connect(peer, new Way(way(false), Mtu.MTU_2048, device.port(1).lid()));
    Lab.await(
        () -> {
          turn();
          return connections.to(peer) != null;
        },
        "a connection of the stranger's");
  }

  private void turn() {
    for (int i = 0; i < 100 && loop.turn(); i++) {
      Thread.onSpinWait();
    }
  }

  private WcStatus completed() {
    Lab.await(() -> cq.poll(done, 1) == 1, "the send's completion");
    return done[0].status();
  }

  @Override
  public RcEnd open(Connection connection) {
    return new End();
  }

  @Override
  public void up(Connection connection) {
    // the test asks
  }

  @Override
  public void down(Connection connection, String why) {
    // the test asks
  }

  @Override
  public void close() {
    connections.stop();
    turn();
    cm.close();
    ud.close();
    region.close();
    cq.close();
    pd.close();
    other.close();
    lease.close();
  }
}
