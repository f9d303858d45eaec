package ib.core.testing;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** A memory region of a {@link FakeDevice}. */
public final class FakeMr extends MemoryRegion {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();
  private volatile MemorySegment segment;
  private volatile int access;

  FakeMr(ObjectControl control, FakeDevice device, MemorySegment segment, int access) {
    super(control);
    this.device = device;
    this.segment = segment;
    this.access = access;
    device.born(Kind.MR);
  }

  @Override
  public int lkey() {
    device.touch(deaths);
    return 0x1000 + (int) id();
  }

  @Override
  public int rkey() {
    device.touch(deaths);
    return 0x2000 + (int) id();
  }

  @Override
  public long iova() {
    device.touch(deaths);
    return 0x10_0000L * (1 + id());
  }

  @Override
  public long length() {
    device.touch(deaths);
    return segment.byteSize();
  }

  @Override
  public int access() {
    return access;
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  protected void doMap(MemorySegment[] segments) {
    device.faults().hit("doMap");
    segment = segments[0];
  }

  @Override
  protected void doReregister(MemorySegment newSegment, int newAccess) {
    device.faults().hit("doReregister");
    segment = newSegment;
    access = newAccess;
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.MR, deaths);
  }
}
