package ib.core.internal.hotplug;

import ib.core.client.ClientStatus;
import ib.core.verbs.IbNoDeviceException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks up devices and clients, for queries and for leases (CC-21). */
final class Inventory {
  private final Book book;

  Inventory(Book book) {
    this.book = book;
  }

  /** A usable device, as it is now; without the book it may have changed by the return. */
  @Nullable DeviceEntry byName(String name) {
    return book.devices.stream()
        .filter(d -> d.usable() && d.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** All clients in the order of adds; guarded by the book. */
  List<ClientStatus> clients() {
    List<ClientStatus> all = new ArrayList<>();
    for (ClientEntry c : book.clients.ordered()) {
      all.add(new ClientStatus(c.name, all.size() + 1, c.after, bindings(c)));
    }
    return all;
  }

  private List<ClientStatus.Binding> bindings(ClientEntry c) {
    List<ClientStatus.Binding> list = new ArrayList<>();
    for (DeviceEntry d : book.devices) {
      Binding b = d.bindings.get(c);
      list.add(
          b == null
              ? new ClientStatus.Binding(d.name(), ClientStatus.State.NONE, 0, 0, "")
              : b.status());
    }
    c.broken.stream()
        .filter(b -> b.device.state == DeviceEntry.State.GONE)
        .forEach(b -> list.add(b.status()));
    return list;
  }

  /** Counts first, then makes the handle: a device that goes meanwhile waits for it (B11). */
  Lease lease(String device, String holder) {
    Lease lease = book.compute(() -> enter(device, holder));
    boolean bound = false;
    try {
      lease.open();
      bound = true;
    } finally {
      if (!bound) {
        book.update(lease::release);
      }
    }
    if (book.compute(lease::revoked)) {
      throw new IbNoDeviceException("lease " + device, "the device has just gone", "");
    }
    return lease;
  }

  private Lease enter(String device, String holder) {
    DeviceEntry d = byName(device);
    if (d == null) {
      throw new IbNoDeviceException("lease " + device, "no such device", "ibv_devices");
    }
    Lease lease = new Lease(book, d, holder, Thread.currentThread());
    d.leases.add(lease);
    return lease;
  }
}
