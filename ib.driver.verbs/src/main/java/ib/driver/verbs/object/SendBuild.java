package ib.driver.verbs.object;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The builder form: requests are written straight into structures of C, and posted in one call. A
 * batch is of the thread that has begun it; what another thread adds is left out. The first mistake
 * is kept and returned by {@link #complete}. Structures are made once per request of the largest
 * batch.
 */
final class SendBuild {
  private static final SendRequest[] NONE = new SendRequest[0];

  private final SendQueue queue;
  private SendRequest[] batch = NONE;
  private int count;
  private int status;
  private @Nullable SendRequest current;
  private long wrId;
  private int flags;
  private @Nullable Cqe cqe;
  private @Nullable Thread user;

  SendBuild(SendQueue queue) {
    this.queue = queue;
  }

  void start() {
    Thread me = Thread.currentThread();
    if (!me.equals(user)) {
      if (count > 0) {
        batch = NONE; // the other thread may still write to its last request
        count = 0;
      }
      user = me;
    }
    forget();
    status = PostStatus.OK;
    wrId = 0;
    flags = 0;
    cqe = null;
  }

  private void forget() {
    for (int i = 0; i < count; i++) {
      SendQueue.drop(batch[i]);
    }
    count = 0;
    current = null;
  }

  private boolean foreign() {
    Thread owner = user;
    return owner != null && !owner.equals(Thread.currentThread());
  }

  private @Nullable SendRequest mine() {
    return foreign() ? null : current;
  }

  void wrId(long value) {
    if (!foreign()) {
      wrId = value;
    }
  }

  void flags(int value) {
    if (!foreign()) {
      flags = value;
    }
  }

  void cqe(Cqe value) {
    if (!foreign()) {
      cqe = value;
    }
  }

  private void fail(int why) {
    if (status == PostStatus.OK && why != PostStatus.OK && !foreign()) {
      status = why;
    }
  }

  /** Begins a request. {@return the request; null when the batch takes none} */
  @Nullable SendRequest begin(WrOpcode opcode) {
    if (foreign()) {
      return null;
    }
    check();
    current = null;
    if (!queue.offers(opcode)) {
      fail(PostStatus.NOT_SUPPORTED);
      return null;
    }
    int n = count;
    if (n >= queue.capacity()) {
      fail(PostStatus.QUEUE_FULL);
      return null;
    }
    if (n == batch.length) {
      SendRequest[] larger = Arrays.copyOf(batch, Math.clamp(2L * n, 1, queue.capacity()));
      for (int i = n; i < larger.length; i++) {
        larger[i] = queue.request();
      }
      batch = larger;
    }
    SendRequest r = batch[n];
    count = n + 1;
    r.begin(wrId, cqe, opcode.value(), flags);
    current = r;
    return r;
  }

  private void check() {
    SendRequest r = current;
    if (r != null) {
      fail(queue.check(r));
    }
  }

  void bind(MemoryWindow window, int rkey, MemoryRegion region, long address, long length) {
    SendRequest r = begin(WrOpcode.BIND_MW);
    if (r == null) {
      return;
    }
    if (window instanceof VerbsMw mw && region instanceof VerbsMr mr) {
      r.bind(mw, mr, rkey, address, length);
    } else {
      fail(PostStatus.INVALID);
    }
  }

  void rights(int access) {
    SendRequest r = mine();
    if (r != null) {
      r.rights(access);
    }
  }

  void address(AddressHandle ah, int qpn, int qkey) {
    SendRequest r = mine();
    if (r == null || !queue.datagram) {
      fail(PostStatus.INVALID);
    } else {
      fail(queue.address(r, ah, qpn, qkey));
    }
  }

  void sge(int lkey, long address, int length, boolean only) {
    SendRequest r = mine();
    if (r == null) {
      fail(PostStatus.INVALID);
      return;
    }
    if (only) {
      r.clearSges();
    }
    if (!r.sge(lkey, address, length)) {
      fail(PostStatus.INVALID);
    }
  }

  void inline(MemorySegment data, long offset, int length) {
    SendRequest r = mine();
    if (r == null || !r.inline(data, offset, length)) {
      fail(PostStatus.INVALID);
    }
  }

  int complete() {
    if (foreign()) {
      return PostStatus.BUSY;
    }
    check();
    current = null;
    int n = count;
    int result = status;
    if (result == PostStatus.OK && n > 0) {
      result = queue.batch(batch, n);
    }
    forget();
    return result;
  }

  void abort() {
    if (!foreign()) {
      forget();
      status = PostStatus.OK;
    }
  }
}
