package ib.core.testing;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;

/**
 * One object of each kind, made through one handle.
 *
 * @param pd protection domain
 * @param cq completion queue of both directions of the queue pair
 * @param srq the queue pair's shared receive queue
 * @param qp queue pair
 * @param mr memory region
 * @param mw memory window
 * @param ah address handle
 */
public record Objects7(
    ProtectionDomain pd,
    CompletionQueue cq,
    SharedReceiveQueue srq,
    QueuePair qp,
    MemoryRegion mr,
    MemoryWindow mw,
    AddressHandle ah) {

  /** Capacities that a {@link FakeDevice} gives. */
  public static final QpCap CAP = new QpCap(16, 16, 1, 1, 0);

  /** An address on port 1. */
  public static final AhAttr ADDRESS = new AhAttr(2, 0, 0, 0, 1, null);

  /**
   * Makes them.
   *
   * @param device the handle
   * @return the objects
   */
  public static Objects7 of(IbDevice device) {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    SharedReceiveQueue srq = srq(pd);
    return new Objects7(
        pd,
        cq,
        srq,
        pd.createQp(new QpInit(QpType.RC, cq, CAP).withSrq(srq)),
        pd.allocMemory(4096, 8, Access.LOCAL_WRITE),
        pd.allocWindow(MwType.TYPE_2),
        pd.createAh(ADDRESS));
  }

  /**
   * Makes a shared receive queue.
   *
   * @param pd its domain
   * @return the queue
   */
  public static SharedReceiveQueue srq(ProtectionDomain pd) {
    return pd.createSrq(new SrqInit(new SrqAttr(16, 1, 0), null, null));
  }

  /** Closes them, users first. */
  public void close() {
    qp.close();
    mw.close();
    srq.close();
    ah.close();
    mr.close();
    cq.close();
    pd.close();
  }
}
