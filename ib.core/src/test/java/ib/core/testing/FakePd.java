package ib.core.testing;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqInit;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain of a {@link FakeDevice}. */
public final class FakePd extends ProtectionDomain {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();

  FakePd(ObjectControl control, FakeDevice device) {
    super(control);
    this.device = device;
    device.born(Kind.PD);
  }

  @Override
  protected MemoryRegion doRegisterMemory(ObjectControl control, MemorySegment memory, int access) {
    device.faults().hit("registerMemory");
    device.touch(deaths);
    return new FakeMr(control, device, memory, access);
  }

  @Override
  protected MemoryRegion doAllocMemory(ObjectControl control, MemorySegment memory, int access) {
    device.faults().hit("allocMemory");
    return super.doAllocMemory(control, memory, access);
  }

  @Override
  protected MemoryRegion doAllocFastRegistration(ObjectControl control, int maxSegments) {
    device.faults().hit("allocFastRegistration");
    device.touch(deaths);
    return new FakeMr(control, device, MemorySegment.NULL, 0);
  }

  @Override
  protected MemoryWindow doAllocWindow(ObjectControl control, MwType type) {
    device.faults().hit("allocWindow");
    device.touch(deaths);
    return new FakeMw(control, device, type);
  }

  @Override
  protected AddressHandle doCreateAh(ObjectControl control, AhAttr attr, boolean maySleep) {
    device.faults().hit("createAh");
    device.touch(deaths);
    return new FakeAh(control, device, attr);
  }

  @Override
  protected QueuePair doCreateQp(ObjectControl control, QpInit init) {
    device.faults().hit("createQp");
    device.touch(deaths);
    return new FakeQp(control, device, init);
  }

  @Override
  protected SharedReceiveQueue doCreateSrq(ObjectControl control, SrqInit init) {
    device.faults().hit("createSrq");
    device.touch(deaths);
    return new FakeSrq(control, device, init);
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.PD, deaths);
  }
}
