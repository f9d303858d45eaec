package ib.core.internal.hotplug;

import ib.core.client.DeviceLease;
import ib.core.client.LeakRecord;
import ib.core.verbs.IbDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device lease (CC-21); its entry in the device's list is the reference. */
final class Lease implements DeviceLease {
  private enum State {
    OPEN,
    CLOSING,
    CLOSED,
    REVOKED,
    /** The thread that closes the lease is stuck: no thread waits for it any longer. */
    DROPPED
  }

  private final Book book;
  private final DeviceEntry entry;
  final String owner;

  /** The thread that took or that closes the lease; a removal waits for it. Guarded by the book. */
  Thread holder;

  private State state = State.OPEN;
  volatile @Nullable BoundHandle handle;

  Lease(Book book, DeviceEntry entry, String owner, Thread holder) {
    this.book = book;
    this.entry = entry;
    this.owner = owner;
    this.holder = holder;
  }

  /** Makes the handle; sweeps it at once when the device went meanwhile. */
  void open() {
    BoundHandle h = entry.hooks.bind(owner, 0);
    boolean late =
        book.compute(
            () -> {
              handle = h;
              return revoked();
            });
    if (late) {
      h.sweepAndPoison();
    }
  }

  @Override
  public IbDevice device() {
    BoundHandle h = handle;
    if (h == null) {
      throw new IllegalStateException("lease of " + owner + " has no handle");
    }
    return h.device();
  }

  @Override
  public void close() {
    boolean mine =
        book.compute(
            () -> {
              boolean open = state == State.OPEN;
              if (open) {
                state = State.CLOSING;
                holder = Thread.currentThread();
              }
              return open;
            });
    if (!mine) {
      return; // closed already, or revoked and swept
    }
    BoundHandle h = handle;
    try {
      List<LeakRecord> leaks = h == null ? List.of() : h.sweepAndPoison();
      leaks.forEach(book.observer::leak);
    } finally {
      book.update(this::release);
    }
  }

  /** Guarded by the book. */
  void release() {
    state = State.CLOSED;
    entry.leases.remove(this);
    Sync.Signal signal = entry.leaseSignal;
    if (signal != null && entry.leases.isEmpty()) {
      entry.leaseSignal = null;
      signal.fire();
    }
  }

  /** Revokes the lease, because the removal's deadline has passed. Guarded by the book. */
  void revoke() {
    state = state == State.CLOSING ? State.DROPPED : State.REVOKED;
  }

  /** Whether the removal goes on without it; guarded by the book. */
  boolean revoked() {
    return state == State.REVOKED || state == State.DROPPED;
  }

  /** Whether the removal has to clean up after it; guarded by the book. */
  boolean leftToSweep() {
    return state == State.REVOKED;
  }

  /** {@return the lease as a report names it} */
  String text() {
    return "lease of " + owner + " taken by " + holder.getName();
  }
}
