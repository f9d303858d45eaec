package ib.core.internal.hotplug;

import ib.core.client.ClientStatus.State;
import ib.core.client.LeakRecord;
import ib.core.internal.hotplug.Activity.Kind;
import ib.core.internal.hotplug.Calls.Result;
import ib.core.verbs.DeviceInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The steps of adding clients to a device and of removing them; run by the device's owner. */
final class Bindings {
  private final Book book;
  private final Calls calls;

  Bindings(Book book, Calls calls) {
    this.book = book;
    this.calls = calls;
  }

  // ---- add ----

  /**
   * Adds all clients that the device has not considered yet, in order; then it is live (I1, S31).
   */
  void attachPending(Tenure t, DeviceEntry d) {
    sweepBroken(t, d);
    for (Binding b = book.find(() -> nextPending(t, d));
        b != null;
        b = book.find(() -> nextPending(t, d))) {
      add(t, b);
    }
  }

  private @Nullable Binding nextPending(Tenure t, DeviceEntry d) {
    boolean enabled = d.state == DeviceEntry.State.ENABLING || d.state == DeviceEntry.State.LIVE;
    if (!book.rules.mayGoOn(t) || d.stopping || !enabled) {
      return null;
    }
    List<ClientEntry> pending = book.clients.pendingOn(d);
    if (pending.isEmpty()) {
      d.state =
          DeviceEntry.State.LIVE; // in one section: who registers from now on asks for its add
      return null;
    }
    Binding b = new Binding(d, book.rules.nextToAdd(pending));
    d.bindings.put(b.client, b);
    return b;
  }

  private void add(Tenure t, Binding b) {
    DeviceInfo info = b.device.info();
    Result<Boolean> wanted = calls.run(t, Kind.SUPPORTS, b, () -> b.client.client.supports(info));
    if (wanted.abandoned()) {
      return;
    }
    if (wanted.error() != null) {
      reject(t, b, wanted.error());
      return;
    }
    if (!Boolean.TRUE.equals(wanted.value())) {
      book.update(() -> b.state = State.NONE);
      return;
    }
    BoundHandle handle;
    try {
      handle = b.device.hooks.bind(b.client.name, b.client.sequence);
    } catch (Throwable e) { // no memory, too: the client is rejected, and the next one is added
      reject(t, b, e);
      return;
    }
    book.update(() -> b.handle = handle);
    Result<Object> added = calls.run(t, Kind.ADD, b, () -> b.client.client.add(handle.device()));
    b.addNs = added.ns();
    if (added.abandoned()) {
      return;
    }
    if (added.error() != null && book.rules.afterFailedAdd() == State.REJECTED) {
      reject(t, b, added.error());
      return;
    }
    book.update(() -> live(b, added.value()));
  }

  private static void live(Binding b, @Nullable Object data) {
    b.data = data;
    b.state = State.LIVE;
    b.device.live.add(b);
    b.place = ++b.device.adds;
  }

  /** Cleans up after a failed add; the client gets no remove (CC-5, CC-6). */
  private void reject(Tenure t, Binding b, Throwable error) {
    failed(b, "add", error);
    sweep(t, b);
    book.update(
        () -> {
          if (book.rules.mayGoOn(t)) {
            b.state = State.REJECTED;
          }
        });
  }

  // ---- remove ----

  /** Removes a binding that was marked REMOVING; whatever it throws, the rest goes on (CC-18). */
  void remove(Tenure t, Binding b) {
    BoundHandle handle = b.handle;
    if (handle == null) {
      throw new IllegalStateException("no handle: " + b);
    }
    Result<Object> removed =
        calls.run(
            t,
            Kind.REMOVE,
            b,
            () -> {
              b.client.client.remove(handle.device(), b.data);
              return null;
            });
    if (removed.abandoned()) {
      return;
    }
    b.removeNs = removed.ns();
    if (removed.error() != null) {
      failed(b, "remove", removed.error());
    }
    sweep(t, b);
    book.update(() -> forget(t, b));
  }

  private void forget(Tenure t, Binding b) {
    if (book.rules.mayGoOn(t)) {
      b.state = State.NONE;
      b.device.live.remove(b);
      b.device.step(b, b.removeNs);
    }
  }

  /** Removes one client (S38). */
  void detach(Tenure t, DeviceEntry d, ClientEntry client) {
    sweepBroken(t, d);
    Binding b =
        book.find(
            () -> {
              Binding found = d.bindings.get(client);
              if (found == null || found.state != State.LIVE || !book.rules.mayGoOn(t)) {
                return null;
              }
              found.state = State.REMOVING;
              return found;
            });
    if (b != null) {
      remove(t, b);
    }
    book.update(() -> drop(t, d, client));
  }

  private void drop(Tenure t, DeviceEntry d, ClientEntry client) {
    if (book.rules.mayGoOn(t)) {
      d.bindings.remove(client);
      retire(client);
    }
  }

  /** Forgets a client that leaves when no callback of it runs or will run; guarded by the book. */
  void retire(ClientEntry client) {
    boolean engaged =
        book.devices.stream()
            .map(d -> d.bindings.get(client))
            .anyMatch(b -> b != null && b.engaged());
    if (client.phase == ClientEntry.Phase.LEAVING && !engaged) {
      client.phase = ClientEntry.Phase.LEFT;
      book.clients.remove(client);
      book.devices.forEach(d -> d.bindings.remove(client));
      book.freed();
    }
  }

  // ---- what is left ----

  /** Sweeps what clients have that a watchdog revoked. */
  void sweepBroken(Tenure t, DeviceEntry d) {
    List<Binding> broken =
        book.compute(
            () -> d.bindings.values().stream().filter(b -> b.state == State.BROKEN).toList());
    broken.forEach(b -> sweep(t, b));
  }

  /** Destroys what the client left, once, and reports it (I8). */
  void sweep(Tenure t, Binding b) {
    BoundHandle handle =
        book.find(
            () -> {
              BoundHandle h = b.sweepStarted || !book.rules.mayGoOn(t) ? null : b.handle;
              b.sweepStarted |= h != null;
              return h;
            });
    if (handle != null) {
      Result<List<LeakRecord>> swept = calls.run(t, Kind.SWEEP, b, handle::sweepAndPoison);
      if (swept.error() != null) {
        failed(b, "teardown", swept.error());
      }
      report(b.device, swept.value());
      book.update(() -> b.swept = true);
    }
  }

  void report(DeviceEntry d, @Nullable List<LeakRecord> leaks) {
    List<LeakRecord> found = leaks == null ? List.of() : new ArrayList<>(leaks);
    book.update(() -> d.leaked(found));
    found.forEach(book.observer::leak);
  }

  private void failed(Binding b, String callback, Throwable error) {
    book.update(() -> b.lastError = callback + ": " + error);
    book.observer.failed(callback + " of " + b, error);
  }

  // ---- rename ----

  /** Tells one client of a new name (CC-15). */
  void renamed(Tenure t, Binding b, String oldName) {
    BoundHandle handle = b.handle;
    if (handle == null) {
      return;
    }
    Result<Object> told =
        calls.run(
            t,
            Kind.RENAMED,
            b,
            () -> {
              b.client.client.renamed(handle.device(), b.data, oldName);
              return null;
            });
    if (told.error() != null && !told.abandoned()) {
      failed(b, "renamed", told.error());
    }
  }
}
