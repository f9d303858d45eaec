package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.engine.mr.MrKey;
import java.lang.foreign.MemorySegment;

/** A memory region: an lkey and an rkey in the device's tables. */
public final class SoftMr extends MemoryRegion {
  private static final long PAGE = 4096;

  private final SoftPd pd;
  private final HcaCore hca;
  private volatile MrKey local;
  private volatile MrKey remote;

  SoftMr(ObjectControl control, SoftPd pd, MemorySegment segment, int access) {
    super(control);
    this.pd = pd;
    this.hca = pd.hca();
    long iova = iova(segment, access);
    this.local = enter(segment, iova, access, true);
    this.remote = enter(segment, iova, access, false);
  }

  /** Random, but aligned like the memory itself, since atomics ask for that (D9). */
  private long iova(MemorySegment segment, int access) {
    if (segment.isReadOnly() && (access & Access.LOCAL_WRITE) != 0) {
      throw new IbInvalidException("registerMemory", "the segment is read-only", "no write access");
    }
    if (segment.byteSize() > hca.config().limit(Limit.MAX_MR_SIZE)) {
      throw Refusals.range("bytes", segment.byteSize(), 1, hca.config().limit(Limit.MAX_MR_SIZE));
    }
    return (access & Access.ZERO_BASED) != 0
        ? 0
        : hca.keyNumbers().address() | segment.address() & (PAGE - 1);
  }

  private MrKey enter(MemorySegment segment, long iova, int access, boolean isLocal) {
    int number = hca.keyNumbers().next();
    MrKey key = new MrKey(number, pd.domain(), segment, iova, access);
    (isLocal ? hca.lkeys() : hca.rkeys()).put(number, key);
    return key;
  }

  private void withdraw(MrKey l, MrKey r) {
    l.revoke();
    r.revoke();
    hca.lkeys().remove(l.key());
    hca.rkeys().remove(r.key());
    pd.fence(); // nobody is copying any more when this returns
    hca.keyNumbers().retire(l.key());
    hca.keyNumbers().retire(r.key());
  }

  @Override
  public int lkey() {
    return local.key();
  }

  @Override
  public int rkey() {
    return remote.key();
  }

  @Override
  public long iova() {
    return local.iova();
  }

  @Override
  public long length() {
    return local.length();
  }

  @Override
  public int access() {
    return local.access();
  }

  @Override
  public MemorySegment segment() {
    return local.segment();
  }

  @Override
  protected synchronized void doReregister(MemorySegment segment, int access) {
    long iova = iova(segment, access);
    MrKey oldLocal = local;
    MrKey oldRemote = remote;
    local = enter(segment, iova, access, true);
    remote = enter(segment, iova, access, false);
    withdraw(oldLocal, oldRemote);
  }

  @Override
  protected void doDestroy() {
    withdraw(local, remote);
    hca.discount(Limit.MAX_MR);
  }
}
