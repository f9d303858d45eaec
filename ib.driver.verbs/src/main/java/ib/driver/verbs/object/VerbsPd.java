package ib.driver.verbs.object;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqInit;
import ib.driver.verbs.abi.Frame;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A protection domain of the kernel. */
final class VerbsPd extends ProtectionDomain {
  final VerbsContext context;
  final long address;

  /** Address handles to destroy. */
  final AtomicReference<@Nullable NativeAh> dead = new AtomicReference<>();

  VerbsPd(ObjectControl control, VerbsContext context) {
    super(control);
    this.context = context;
    try (Frame frame = new Frame()) {
      address = context.make(frame, "allocPd", context.library.allocPd, context.address);
    }
  }

  @Override
  protected MemoryRegion doRegisterMemory(
      ObjectControl control, MemorySegment segment, int access) {
    return new VerbsMr(control, this, segment, access, false);
  }

  @Override
  protected MemoryRegion doAllocMemory(ObjectControl control, MemorySegment segment, int access) {
    return new VerbsMr(control, this, segment, access, true);
  }

  @Override
  protected MemoryRegion doAllocFastRegistration(ObjectControl control, int maxSegments) {
    throw new IbNotSupportedException(
        "allocFastRegistration", "only the kernel registers by requests", "registerMemory");
  }

  @Override
  protected MemoryWindow doAllocWindow(ObjectControl control, MwType type) {
    return new VerbsMw(control, this, type);
  }

  @Override
  protected AddressHandle doCreateAh(ObjectControl control, AhAttr attr, boolean maySleep) {
    return new VerbsAh(control, this, attr);
  }

  @Override
  protected QueuePair doCreateQp(ObjectControl control, QpInit init) {
    return new VerbsQp(control, init, this);
  }

  @Override
  protected SharedReceiveQueue doCreateSrq(ObjectControl control, SrqInit init) {
    return new VerbsSrq(control, init, this);
  }

  @Override
  protected void doDestroy() {
    NativeAh.bury(context, dead);
    try (Frame frame = new Frame()) {
      context.destroyed("PD", frame.check(context.library.deallocPd, address));
    }
  }
}
