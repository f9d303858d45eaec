package ib.engine.mr;

import ib.core.verbs.Access;
import ib.core.verbs.MwType;
import org.jspecify.annotations.Nullable;

/**
 * The part of a region that a memory window opens, by posted requests (IBA 10.6.7). Only the thread
 * that holds the claim of the queue pair that was asked binds and invalidates; {@link #close} is
 * the control path's.
 */
public final class Window {
  private static final int RIGHTS =
      Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC | Access.FLUSH_GLOBAL;

  private final MwType type;
  private final Key key;
  private volatile @Nullable Region region; // written while the key is being changed
  private volatile boolean closed;

  /**
   * Makes one that opens nothing.
   *
   * @param type which queue pairs may use its key
   * @param domain number of its protection domain
   * @param number its first key
   */
  public Window(MwType type, int domain, int number) {
    this.type = type;
    this.key = new Key(number, domain, this, true);
  }

  public MwType type() {
    return type;
  }

  public Key key() {
    return key;
  }

  /**
   * BIND_MW.
   *
   * @param by the queue pair that was asked
   * @param to the region, or null
   * @param number the new key
   * @param address address of the first byte
   * @param length number of bytes; 0 unbinds
   * @param access bits of {@code Access}
   * @return whether it was allowed
   */
  public boolean bind(
      KeyHolder by, @Nullable Region to, int number, long address, long length, int access) {
    if (key.domain() != by.domain() || number >>> 8 != key.index() || (access & ~RIGHTS) != 0) {
      return false; // C10-72
    }
    if (length == 0) {
      return type == MwType.TYPE_1 && unbind(number); // o10-37.2.40
    }
    int writes = access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC);
    int rights = Access.MW_BIND | (writes != 0 ? Access.LOCAL_WRITE : 0); // C10-73, C10-74
    Key of = to == null ? null : to.remote();
    long version =
        of == null
            ? Key.REFUSED
            : of.admit(of.number(), by.domain(), of, rights, address, length); // C10-75
    if (of == null || to == null || length < 0 || version == Key.REFUSED) {
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
    moved(to);
    key.bind(
        begun, number, of, version, address, length, access, type == MwType.TYPE_2 ? by : null);
    return true;
  }

  private boolean orphaned() {
    return key.holder() instanceof KeyHolder holder && holder.dead();
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

  private void moved(@Nullable Region to) {
    Region from = region;
    region = to;
    if (from != null) {
      from.unbound();
    }
    if (to != null) {
      to.bound();
    }
  }

  /**
   * LOCAL_INV or SEND_WITH_INV: type 2 only, by the queue pair that it is bound to; returns whether
   * it was allowed.
   */
  public boolean invalidate(KeyHolder by) {
    if (type == MwType.TYPE_1 || !by.equals(key.holder())) {
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

  /** Closes its key for good; the caller waits for running copies. */
  public void close() {
    closed = true;
    key.revoke();
    moved(null);
  }
}
