package ib.core.internal.device;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WorkCompletion;
import java.util.Map;

/**
 * Tries a device before any client sees it (S27): asks for every mandatory attribute (GIDs and
 * P_Keys have just been loaded from the driver), makes and destroys one object of each kind that it
 * says it has, and modifies, posts, arms and polls. A driver that announces itself too early fails
 * here, and one that holds a lock of these calls is noticed (S30).
 */
final class Probe {
  private static final Map<Cap, QpType> TYPES =
      Map.of(Cap.RC, QpType.RC, Cap.UC, QpType.UC, Cap.UD, QpType.UD);

  private static final int COMPLETIONS = 2 * TYPES.size(); // a receive and a send of each

  private Probe() {}

  static void run(IbDevice device) {
    for (int port = 1; port <= device.portCount(); port++) {
      device.queryPort(port);
      device.gid(port, 0);
      device.pkey(port, 0);
    }
    try (ProtectionDomain pd = device.allocPd();
        CompletionQueue cq = device.createCq(new CqInit(COMPLETIONS));
        MemoryRegion memory = pd.allocMemory(64, 64, Access.LOCAL_WRITE)) {
      address(device, pd);
      TYPES.forEach(
          (cap, type) -> {
            if (device.has(cap)) {
              try (QueuePair qp = pd.createQp(new QpInit(type, cq, new QpCap(1, 1, 1, 1, 0)))) {
                use(qp, cq, memory);
              }
            }
          });
      if (device.has(Cap.SRQ)) {
        pd.createSrq(new SrqInit(new SrqAttr(1, 1, 0), null, null)).close();
      }
    }
  }

  /**
   * Posts a receive and a send, which come back at once because the queue pair is in ERR; one for
   * datagrams refuses the send, which has no address. That the driver takes the calls is all that
   * counts.
   */
  private static void use(QueuePair qp, CompletionQueue cq, MemoryRegion memory) {
    QpAttr init = new QpAttr().state(QpState.INIT).port(1).pkeyIndex(0);
    qp.modify(qp.type() == QpType.UD ? init.qkey(1) : init.accessFlags(Access.REMOTE_WRITE));
    qp.postReceive(0, memory.lkey(), memory.iova(), 1);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    qp.modify(new QpAttr().state(QpState.ERR));
    qp.wrStart().wrSend();
    qp.wrComplete();
    cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
  }

  /** On Ethernet only a GID is an address: the port's own is the one that always answers. */
  private static void address(IbDevice device, ProtectionDomain pd) {
    if (device.queryPort(1).linkLayer() != LinkLayer.ETHERNET) {
      pd.createAh(AhAttr.ofLid(1, 1, 0)).close();
      return;
    }
    Gid own = device.gid(1, 0);
    if (!own.equals(Gid.ZERO)) { // else the link has no address yet
      pd.createAh(AhAttr.ofGid(1, GlobalRoute.to(own, 0))).close();
    }
  }
}
