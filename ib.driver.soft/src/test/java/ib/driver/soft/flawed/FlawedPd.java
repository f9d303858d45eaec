package ib.driver.soft.flawed;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqInit;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** The domain of a flawed device. */
final class FlawedPd extends ProtectionDomain {
  private static final int ALL_RIGHTS = 0xf;

  private final ProtectionDomain inner;
  private final Flaw flaw;

  FlawedPd(ObjectControl control, ProtectionDomain inner, Flaw flaw) {
    super(control);
    this.inner = inner;
    this.flaw = flaw;
  }

  @Override
  protected MemoryRegion doRegisterMemory(ObjectControl c, MemorySegment segment, int access) {
    int rights = flaw == Flaw.RIGHTS_IGNORED ? ALL_RIGHTS : access;
    return Inner.call(inner, "doRegisterMemory", c, segment, rights);
  }

  @Override
  protected MemoryRegion doAllocFastRegistration(ObjectControl c, int maxSegments) {
    return Inner.call(inner, "doAllocFastRegistration", c, maxSegments);
  }

  @Override
  protected MemoryWindow doAllocWindow(ObjectControl c, MwType type) {
    return Inner.call(inner, "doAllocWindow", c, type);
  }

  @Override
  protected AddressHandle doCreateAh(ObjectControl c, AhAttr attr, boolean maySleep) {
    if (flaw == Flaw.PARKS_IN_CREATE_AH) {
      LockSupport.parkNanos(1);
    }
    return Inner.call(inner, "doCreateAh", c, attr, maySleep);
  }

  @Override
  protected QueuePair doCreateQp(ObjectControl c, QpInit init) {
    QpInit plain =
        new QpInit(
            init.type(),
            plain(init.sendCq()),
            plain(init.recvCq()),
            init.srq(),
            init.cap(),
            init.sqSigType(),
            init.rqSigType(),
            init.port(),
            init.eventHandler(),
            init.context(),
            init.createFlags());
    return new FlawedQp(c, init, Inner.call(inner, "doCreateQp", c, plain), flaw);
  }

  private static CompletionQueue plain(CompletionQueue cq) {
    return cq instanceof FlawedCq f ? f.inner() : cq;
  }

  @Override
  protected SharedReceiveQueue doCreateSrq(ObjectControl c, SrqInit init) {
    return Inner.call(inner, "doCreateSrq", c, init);
  }

  @Override
  protected void doDestroy() {
    Inner.call(inner, "doDestroy");
  }
}
