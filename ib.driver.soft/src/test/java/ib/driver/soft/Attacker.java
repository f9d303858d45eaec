package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.TestControl;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.driver.soft.fabric.Fabric;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An adapter that no midlayer knows, with QP0, QP1 and a UD queue pair that send what they like.
 */
final class Attacker implements AutoCloseable {
  private static final int SLOTS = 64;
  private static final int SLOT_BYTES = 512;

  final SoftDevice device;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion mr;
  private final List<QueuePair> qps;
  private final AddressHandle[] ways = new AddressHandle[SLOTS]; // of what is under way
  private final WorkCompletion[] one = {new WorkCompletion()};
  private long posted;
  private long completed;

  Attacker(Fabric fabric, String name) {
    device = SoftDevice.plug(fabric, ConfigReader.read(name, Map.of()), "0");
    TestControl book = new TestControl(device);
    pd = device.ops().allocPd(book.child(ObjectControl.Kind.PD));
    cq = device.ops().createCq(book.child(ObjectControl.Kind.CQ), new CqInit(8 * SLOTS));
    mr = pd.allocMemory(SLOTS * SLOT_BYTES, 64, Access.LOCAL_WRITE);
    qps = List.of(open(QpType.SMI), open(QpType.GSI), open(QpType.UD));
    qps.forEach(Attacker::bringUp);
  }

  private QueuePair open(QpType type) {
    QpInit init = new QpInit(type, cq, new QpCap(SLOTS, 8, 1, 1, 0));
    return pd.createQp(type == QpType.UD ? init : init.withPort(1));
  }

  private static void bringUp(QueuePair qp) {
    int qkey = qp.type() == QpType.SMI ? 0 : WellKnown.QP1_QKEY;
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).qkey(qkey);
    qp.modify(qp.type() == QpType.UD ? init.port(1) : init);
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
  }

  /** {@return how many queue pairs it has: QP0, QP1 and one more} */
  int queuePairs() {
    return qps.size();
  }

  /** {@return where the next datagram is written} */
  MemorySegment next() {
    await(posted - SLOTS + 1);
    forget((int) (posted % SLOTS));
    return mr.segment().asSlice(posted % SLOTS * SLOT_BYTES, SLOT_BYTES);
  }

  private void forget(int slot) {
    AddressHandle before = ways[slot];
    ways[slot] = null;
    if (before != null) {
      before.close();
    }
  }

  /** Sends what was written; returns false when such an address cannot be made. */
  boolean send(int which, MadMutations.Envelope e) {
    QueuePair qp = qps.get(which);
    if (qp.state() != QpState.RTS) { // the port's MTU has become too small for what was sent
      await(posted);
      qp.modify(new QpAttr().state(QpState.RESET));
      bringUp(qp);
    }
    AddressHandle ah;
    try {
      ah = pd.createAh(e.to());
    } catch (IbInvalidException refused) {
      return false;
    }
    forget((int) (posted % SLOTS));
    ways[(int) (posted % SLOTS)] = ah;
    qp.wrStart();
    qp.wrId(posted).wrFlags(SendFlags.SIGNALED);
    if ((posted & 7) == 7) {
      qp.wrSendImm((int) posted);
    } else {
      qp.wrSend();
    }
    qp.wrSetUdAddress(ah, e.qpn(), e.qkey());
    qp.wrSetSge(mr.lkey(), mr.iova() + posted % SLOTS * SLOT_BYTES, e.length());
    boolean good = qp.wrComplete() == 0;
    if (good) {
      posted++;
    }
    return good;
  }

  /** Waits until everything is complete. */
  void drain() {
    await(posted);
  }

  private void await(long until) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (completed < until) {
      if (cq.poll(one, 1) == 1) {
        completed++;
        assertTrue(one[0].status() != WcStatus.GENERAL_ERR, one[0].toString());
      } else {
        assertTrue(System.nanoTime() < end, "a datagram is not complete within 60 s");
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() {
    qps.forEach(QueuePair::close);
    for (int i = 0; i < SLOTS; i++) {
      forget(i);
    }
    mr.close();
    cq.close();
    pd.close();
    device.unplug();
  }
}
