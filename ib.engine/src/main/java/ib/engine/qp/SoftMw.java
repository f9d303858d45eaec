package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.engine.mr.Key;
import ib.engine.ring.SendWords;
import org.jspecify.annotations.Nullable;

/** A memory window: an rkey that posted requests open for a part of a region (IBA 10.6.7). */
public final class SoftMw extends MemoryWindow {
  private static final int RIGHTS =
      Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC | Access.FLUSH_GLOBAL;

  private final SoftPd pd;
  private final MwType type;
  private final Key key;
  private volatile @Nullable SoftMr region; // written while the key is being changed
  private volatile boolean closed;

  SoftMw(ObjectControl control, SoftPd pd, MwType type) {
    super(control);
    this.pd = pd;
    this.type = type;
    HcaCore hca = pd.hca();
    this.key = new Key(hca.keyNumbers().next(), pd.domain(), this, true);
    hca.rkeys().put(key);
  }

  @Override
  public MwType type() {
    return type;
  }

  /** Whether it is one of a device. */
  boolean isOf(HcaCore hca) {
    return hca.equals(pd.hca());
  }

  @Override
  public int rkey() {
    return key.number();
  }

  /** BIND_MW; returns whether it was allowed. */
  public boolean bind(QpCore qp, @Nullable SoftMr mr, SendWords s, int b) {
    int number = s.rkey(b);
    long address = s.remoteAddress(b);
    long length = s.memoryLength(b);
    int access = s.access(b);
    if (key.domain() != qp.domain || number >>> 8 != key.index() || (access & ~RIGHTS) != 0) {
      return false; // C10-72
    }
    if (length == 0) {
      return type == MwType.TYPE_1 && unbind(number); // o10-37.2.40
    }
    int writes = access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC);
    int rights = Access.MW_BIND | (writes != 0 ? Access.LOCAL_WRITE : 0); // C10-73, C10-74
    Key of = mr == null ? null : mr.remote();
    long version =
        of == null
            ? Key.REFUSED
            : of.admit(of.number(), qp.domain, of, rights, address, length); // C10-75
    if (of == null || mr == null || length < 0 || version == Key.REFUSED) {
      return false;
    }
    long begun = key.begin(type == MwType.TYPE_1 && key.isOpen());
    if (begun == Key.REFUSED && !orphaned()) {
      return false; // o10-37.2.30: a type 2 window must be unbound
    }
    if (begun == Key.REFUSED) {
      key.revoke(); // its queue pair is gone
      begun = key.begin(false);
    }
    if (begun == Key.REFUSED) {
      return false;
    }
    if (closed) { // the bind was posted before; close waits for a change that began earlier
      key.close(begun, key.number());
      return false;
    }
    moved(mr);
    key.bind(
        begun, number, of, version, address, length, access, type == MwType.TYPE_2 ? qp : null);
    return true;
  }

  private boolean orphaned() {
    return key.holder() instanceof QpCore holder && holder.dead();
  }

  private boolean unbind(int number) {
    long begun = key.begin(key.isOpen());
    if (begun == Key.REFUSED) {
      return false;
    }
    moved(null);
    key.close(begun, number);
    return true;
  }

  private void moved(@Nullable SoftMr to) {
    SoftMr from = region;
    region = to;
    if (from != null) {
      from.unbound();
    }
    if (to != null) {
      to.bound();
    }
  }

  /** LOCAL_INV or SEND_WITH_INV: type 2 only, by the queue pair that it is bound to. */
  boolean invalidate(QpCore qp) {
    if (type == MwType.TYPE_1 || !qp.equals(key.holder())) {
      return false; // o10-37.2.26
    }
    long begun = key.begin(true);
    if (begun == Key.REFUSED) {
      return false;
    }
    moved(null);
    key.close(begun, key.number());
    return true;
  }

  /**
   * Whether no copy through the old key is in progress; call it after binding anew or invalidating.
   */
  public boolean settled() {
    return key.idle();
  }

  @Override
  protected void doDestroy() {
    HcaCore hca = pd.hca();
    closed = true;
    key.revoke();
    moved(null);
    hca.rkeys().remove(key);
    try {
      pd.fence(key);
      hca.keyNumbers().retire(key.number());
    } finally {
      hca.discount(Limit.MAX_MW);
    }
  }
}
