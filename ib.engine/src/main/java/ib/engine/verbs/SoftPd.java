package ib.engine.verbs;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqInit;
import ib.engine.mr.Key;
import ib.engine.port.HcaCore;
import ib.engine.qp.ControlPath;
import ib.engine.qp.QpCore;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Supplier;

/** A protection domain: a number, and the queue pairs that may be using its memory. */
public final class SoftPd extends ProtectionDomain {
  final HcaCore hca;
  final int domain;
  private final Object lock = new Object();
  private SoftQp[] qps = {}; // each knows its place; under the lock
  private int count; // under the lock

  /**
   * Makes a domain.
   *
   * @param control the core's book
   * @param hca the device, which has counted it in
   */
  public SoftPd(ObjectControl control, HcaCore hca) {
    super(control);
    this.hca = hca;
    this.domain = hca.nextDomain();
  }

  private void add(SoftQp qp) {
    synchronized (lock) {
      if (count == qps.length) {
        qps = Arrays.copyOf(qps, Math.max(2, 2 * count));
      }
      qp.domainPlace = count;
      qps[count++] = qp;
    }
  }

  /** Forgets a queue pair, once no thread can hold its claim; one that was not added is ignored. */
  @SuppressWarnings("NullAway") // what is behind the count is never read
  void forget(SoftQp qp) {
    synchronized (lock) {
      int place = qp.domainPlace;
      if (place >= 0) {
        SoftQp last = qps[--count];
        qps[place] = last;
        last.domainPlace = place;
        qps[count] = null;
        qp.domainPlace = SoftQp.NO_PLACE;
      }
    }
  }

  private SoftQp[] all() {
    synchronized (lock) {
      return Arrays.copyOf(qps, count);
    }
  }

  /**
   * Waits until no thread uses memory whose keys were revoked and taken out of the tables before:
   * each queue pair's claim has been released once. Then no queue pair keeps one of those keys: one
   * that comes meanwhile no longer finds them.
   *
   * @param gone the keys
   * @throws IbTimedOutException when a claim was not released within 5 s; then the memory must
   *     stay, since its holder may still be using it
   */
  void fence(Key... gone) {
    long end = ControlPath.deadline();
    IbTimedOutException stuck = null;
    for (SoftQp user : all()) {
      QpCore qp = user.engine;
      try {
        qp.control.passBy(end);
        for (Key key : gone) {
          qp.keys.forget(key);
        }
      } catch (IbTimedOutException e) {
        stuck = stuck == null ? e : stuck;
      }
    }
    if (stuck != null) {
      throw stuck;
    }
  }

  /** Counts an object in; when it cannot be made it is counted out again (B11). */
  private <T> T counted(Limit limit, String method, Supplier<T> maker) {
    hca.count(limit, method);
    T made = null;
    try {
      made = maker.get();
      return made;
    } finally {
      if (made == null) {
        hca.discount(limit);
      }
    }
  }

  @Override
  protected MemoryRegion doRegisterMemory(
      ObjectControl control, MemorySegment segment, int access) {
    return counted(
        Limit.MAX_MR, "registerMemory", () -> new SoftMr(control, this, segment, access));
  }

  @Override
  protected MemoryRegion doAllocFastRegistration(ObjectControl control, int maxSegments) {
    return counted(
        Limit.MAX_MR, "allocFastRegistration", () -> new SoftMr(control, this, maxSegments));
  }

  @Override
  protected MemoryWindow doAllocWindow(ObjectControl control, MwType type) {
    return counted(Limit.MAX_MW, "allocWindow", () -> new SoftMw(control, this, type));
  }

  @Override
  protected AddressHandle doCreateAh(ObjectControl control, AhAttr attr, boolean maySleep) {
    return counted(Limit.MAX_AH, "createAh", () -> new SoftAh(control, hca, domain, attr));
  }

  @Override
  protected QueuePair doCreateQp(ObjectControl control, QpInit init) {
    return counted(
        Limit.MAX_QP,
        "createQp",
        () -> {
          SoftQp qp = new SoftQp(control, init, this);
          add(qp);
          return qp;
        });
  }

  @Override
  protected SharedReceiveQueue doCreateSrq(ObjectControl control, SrqInit init) {
    return counted(Limit.MAX_SRQ, "createSrq", () -> new SoftSrq(control, init, hca));
  }

  @Override
  protected void doDestroy() {
    hca.discount(Limit.MAX_PD);
  }
}
