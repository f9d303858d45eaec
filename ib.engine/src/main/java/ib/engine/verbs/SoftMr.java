package ib.engine.verbs;

import ib.core.verbs.Access;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.engine.link.Refusals;
import ib.engine.mr.Key;
import ib.engine.mr.Region;
import ib.engine.port.HcaCore;
import ib.engine.qp.Hca;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A memory region as its user sees it; its keys open a {@link Region}. */
public final class SoftMr extends MemoryRegion {
  private final SoftPd pd;
  private final HcaCore hca;
  private final Region region;

  SoftMr(ObjectControl control, SoftPd pd, MemorySegment segment, int access) {
    super(control);
    this.pd = pd;
    this.hca = pd.hca;
    check(segment, access);
    this.region = region(0, 0);
    enter();
    open(segment, access);
  }

  SoftMr(ObjectControl control, SoftPd pd, int segmentsMost) {
    super(control);
    this.pd = pd;
    this.hca = pd.hca;
    this.region = region(segmentsMost, hca.keyNumbers().address());
    enter();
  }

  private Region region(int segmentsMost, long base) {
    int lkey = hca.keyNumbers().next();
    int rkey = hca.keyNumbers().next();
    return new Region(pd.domain, segmentsMost, base, lkey, rkey);
  }

  private void check(MemorySegment segment, int rights) {
    if ((rights & ~Region.RIGHTS) != 0) {
      throw new IbNotSupportedException(
          "registerMemory",
          "access 0x" + Integer.toHexString(rights & ~Region.RIGHTS) + " is not offered",
          "IbDevice.has(Cap.FLUSH_PERSISTENT)");
    }
    if (segment.isReadOnly() && (rights & Access.LOCAL_WRITE) != 0) {
      throw new IbInvalidException("registerMemory", "the segment is read-only", "no write access");
    }
    if (segment.byteSize() > hca.config().limit(Limit.MAX_MR_SIZE)) {
      throw Refusals.range("bytes", segment.byteSize(), 1, hca.config().limit(Limit.MAX_MR_SIZE));
    }
  }

  private void enter() {
    hca.lkeys().put(region.local());
    hca.rkeys().put(region.remote());
  }

  private void open(MemorySegment segment, int rights) {
    boolean zero = (rights & Access.ZERO_BASED) != 0;
    region.open(segment, zero ? 0 : hca.keyNumbers().address(), rights);
  }

  private void withdraw(Key l, Key r) {
    l.revoke();
    r.revoke();
    hca.lkeys().remove(l);
    hca.rkeys().remove(r);
    pd.fence(l, r); // then no copy is in progress; if it throws, memory and keys stay
    hca.keyNumbers().retire(l.number());
    hca.keyNumbers().retire(r.number());
  }

  /** Whether it is one of a device. */
  boolean isOf(Hca device) {
    return hca.equals(device);
  }

  /** {@return whether it is registered by posted requests} */
  boolean fast() {
    return region.fast();
  }

  @Override
  public List<String> pins() {
    int n = region.windows();
    return n == 0 ? List.of() : List.of(n + " memory windows");
  }

  @Override
  public int lkey() {
    return region.local().number();
  }

  @Override
  public int rkey() {
    return region.remote().number();
  }

  @Override
  public long iova() {
    return region.iova();
  }

  @Override
  public long length() {
    return region.length();
  }

  @Override
  public int access() {
    return region.access();
  }

  @Override
  public MemorySegment segment() {
    return region.segment();
  }

  @Override
  protected void doMap(MemorySegment[] segments) {
    if (!fast()) {
      super.doMap(segments);
    }
    if (segments.length < 1 || segments.length > region.segmentsMost()) {
      throw Refusals.range("segments", segments.length, 1, region.segmentsMost());
    }
    region.map(segments);
  }

  @Override
  protected synchronized void doReregister(MemorySegment segment, int rights) {
    if (fast()) {
      throw new IbInvalidException(
          this + ".reregister", "it is a fast registration", "post LOCAL_INV and REG_MR");
    }
    if (region.windows() > 0) {
      throw new IbBusyException(this + ".reregister", pins());
    }
    check(segment, rights);
    Key oldLocal = region.local();
    Key oldRemote = region.remote();
    region.renumber(hca.keyNumbers().next(), hca.keyNumbers().next());
    enter();
    open(segment, rights);
    withdraw(oldLocal, oldRemote);
  }

  @Override
  protected void doDestroy() {
    try {
      withdraw(region.local(), region.remote());
    } finally {
      hca.discount(Limit.MAX_MR);
    }
  }
}
