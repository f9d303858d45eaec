package ib.core.internal.hotplug;

import ib.core.client.ClientStatus;
import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import ib.core.internal.hotplug.Activity.Kind;
import ib.core.internal.hotplug.Calls.Result;
import ib.core.internal.hotplug.DeviceEntry.State;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The removal of a device: children, clients in reverse, events, leases, then the device itself.
 * Each step reads the state first, so that a helper can go on where a stuck thread was.
 */
final class Teardown {
  private static final int REPORTS_KEPT = 100;

  private final Book book;
  private final Calls calls;
  private final Bindings bindings;

  /** Guarded by the book. */
  private final Map<String, RemovalReport> reports =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RemovalReport> eldest) {
          return size() > REPORTS_KEPT;
        }
      };

  Teardown(Book book, Calls calls, Bindings bindings) {
    this.book = book;
    this.calls = calls;
    this.bindings = bindings;
  }

  /** How the last removal of a device of that name went; guarded by the book. */
  @Nullable RemovalReport lastReport(String device) {
    return reports.get(device);
  }

  /** Removes the device for good; the second time nothing happens (CC-13). */
  void shutdown(Tenure t, DeviceEntry d) {
    if (book.compute(() -> d.state == State.GONE) || !disable(t, d, State.DISABLING)) {
      return;
    }
    if (book.compute(() -> first(t, !d.goneCalled, () -> d.goneCalled = true))) {
      Result<List<LeakRecord>> gone = calls.run(t, Kind.GONE, null, d.hooks::gone);
      if (gone.error() != null) {
        book.observer.failed("disconnect of " + d, gone.error());
      }
      bindings.report(d, gone.value());
    }
    book.update(() -> gone(t, d));
  }

  /** Removes all clients and brings them back, here and on the children (CC-23). */
  void reset(Tenure t, DeviceEntry d, ResetWork work) {
    if (!work.disabled) {
      if (!suspend(t, d)) {
        return;
      }
      work.disabled = true;
    }
    if (!work.actionStarted) {
      work.actionStarted = true;
      Result<Object> reset =
          calls.run(
              t,
              Kind.RESET,
              null,
              () -> {
                work.action.run();
                return null;
              });
      if (reset.error() != null) {
        book.observer.failed("reset of " + d, reset.error());
      }
    }
    resume(t, d);
    for (DeviceEntry child : book.compute(() -> List.copyOf(d.children))) {
      child.actor.perform(part(Op.Kind.RESUME, t, child, own -> resume(own, child)));
    }
  }

  /**
   * The way down of a reset; false when there is nothing to bring back, or this thread must stop.
   */
  private boolean suspend(Tenure t, DeviceEntry d) {
    boolean enabled =
        book.compute(
            () -> d.state == State.ENABLING || d.state == State.LIVE || d.state == State.RESETTING);
    return enabled && disable(t, d, State.RESETTING);
  }

  /** Brings the device up again after a reset. */
  private void resume(Tenure t, DeviceEntry d) {
    if (book.compute(() -> first(t, resumable(d) && !d.gateOpen, () -> d.gateOpen = true))) {
      Result<Object> opened =
          calls.run(
              t,
              Kind.RESET,
              null,
              () -> {
                d.hooks.events().open();
                return null;
              });
      if (opened.error() != null) {
        book.observer.failed("events of " + d, opened.error());
      }
    }
    book.update(() -> enableAgain(t, d));
    bindings.attachPending(t, d);
  }

  /** How far a reset is; touched by its owner only. */
  static final class ResetWork {
    private final Runnable action;
    private boolean disabled;
    private boolean actionStarted;

    ResetWork(Runnable action) {
      this.action = action;
    }
  }

  private static boolean resumable(DeviceEntry d) {
    boolean parentDown =
        d.parent != null && d.parent.state == State.RESETTING; // it resumes d later
    return d.state == State.RESETTING && !d.stopping && !parentDown;
  }

  private void enableAgain(Tenure t, DeviceEntry d) {
    if (book.rules.mayGoOn(t) && resumable(d)) {
      d.state = State.ENABLING;
      d.bindings.values().removeIf(b -> !b.client.broken.contains(b)); // still in a callback: I2
    }
  }

  private boolean first(Tenure t, boolean begin, Runnable mark) {
    if (begin && book.rules.mayGoOn(t)) {
      mark.run();
      return true;
    }
    return false;
  }

  /** Everything but the end; false when this thread must stop here. */
  private boolean disable(Tenure t, DeviceEntry d, State state) {
    bindings.sweepBroken(t, d);
    book.update(() -> begin(t, d, state)); // first: no child is born from here on
    if (state == State.RESETTING ? !childrenSuspended(t, d) : !childrenGone(t, d)) {
      return false;
    }
    for (Binding b = book.find(() -> nextToRemove(t, d));
        b != null;
        b = book.find(() -> nextToRemove(t, d))) {
      if (book.compute(() -> d.live.size() == 1)) {
        closeGate(d); // before the last remove returns (CC-16)
      }
      bindings.remove(t, b);
    }
    closeGate(d);
    if (book.compute(() -> first(t, d.gateOpen, () -> d.gateOpen = false))) {
      Result<Object> drained =
          calls.run(
              t,
              Kind.DRAIN,
              null,
              () -> {
                d.hooks.events().drain();
                return null;
              });
      if (drained.error() != null) {
        book.observer.failed("events of " + d, drained.error());
      }
    }
    return leasesGone(t, d) && book.compute(() -> book.rules.mayGoOn(t));
  }

  private void begin(Tenure t, DeviceEntry d, State state) {
    if (book.rules.mayGoOn(t) && d.state != state) {
      d.state = state;
      d.startReport(book.now());
    }
  }

  private @Nullable Binding nextToRemove(Tenure t, DeviceEntry d) {
    if (!book.rules.mayGoOn(t) || d.live.isEmpty()) {
      return null;
    }
    Binding b = book.rules.nextToRemove(d.live);
    b.state = ClientStatus.State.REMOVING;
    return b;
  }

  private void closeGate(DeviceEntry d) {
    if (book.compute(() -> d.gateOpen)) {
      d.hooks.events().close();
    }
  }

  /** Children first, the youngest first (CC-12). */
  private boolean childrenGone(Tenure t, DeviceEntry d) {
    for (DeviceEntry child = youngest(d); child != null; child = youngest(d)) {
      DeviceEntry c = child;
      book.update(() -> c.stopping = true);
      if (!performed(t, d, part(Op.Kind.SHUTDOWN, t, c, own -> shutdown(own, c)))) {
        return false;
      }
    }
    return true;
  }

  private boolean childrenSuspended(Tenure t, DeviceEntry d) {
    for (DeviceEntry c : book.compute(() -> List.copyOf(d.children)).reversed()) {
      if (!performed(t, d, part(Op.Kind.SUSPEND, t, c, own -> suspend(own, c)))) {
        return false;
      }
    }
    return true;
  }

  private Op part(Op.Kind kind, Tenure t, DeviceEntry child, Consumer<Tenure> body) {
    Waits.Rank rank = book.compute(() -> t.actor.rankOf(t));
    return new Op(kind, child, book.now(), rank, body);
  }

  /** Does the child's part, or leaves all of it to a helper when this thread may not wait. */
  private boolean performed(Tenure t, DeviceEntry d, Op op) {
    Refusal refusal = op.device.actor.perform(op);
    return book.compute(
        () -> {
          if (refusal != null && book.rules.mayGoOn(t)) {
            d.actor.handOff(refusal.path());
          }
          return book.rules.mayGoOn(t);
        });
  }

  private @Nullable DeviceEntry youngest(DeviceEntry d) {
    return book.find(() -> d.children.isEmpty() ? null : d.children.getLast());
  }

  /** Waits until all leases are back, or until the watchdog revokes them (CC-21). */
  private boolean leasesGone(Tenure t, DeviceEntry d) {
    for (ArrayDeque<Lease> revoked = new ArrayDeque<>(); ; ) {
      LeaseWait wait =
          book.find(
              () -> {
                d.leases.stream().filter(Lease::leftToSweep).forEach(revoked::add);
                d.leases.removeIf(Lease::revoked);
                return awaitLeases(t, d);
              });
      for (Lease l = revoked.poll(); l != null; l = revoked.poll()) {
        sweepLease(t, d, l);
      }
      if (wait == null) {
        return book.compute(() -> book.rules.mayGoOn(t));
      }
      wait.signal.await();
      book.update(
          () -> {
            book.graph.leave(wait.entry);
            t.activity = null;
          });
    }
  }

  private record LeaseWait(WaitGraph.Wait entry, Sync.Signal signal) {}

  private @Nullable LeaseWait awaitLeases(Tenure t, DeviceEntry d) {
    if (d.leases.isEmpty() || !book.rules.mayGoOn(t)) {
      return null;
    }
    Sync.Signal signal = book.sync.signal();
    WaitGraph.Wait wait =
        new WaitGraph.Wait(
            Thread.currentThread(),
            new OpenLeases(d),
            d.actor.rankOf(t),
            cycle -> {
              d.actor.handOff(cycle);
              signal.fire();
            });
    List<Thread> cycle = book.graph.makeWay(wait);
    if (book.rules.refuses(cycle)) {
      d.actor.handOff(cycle);
      return null;
    }
    d.leaseSignal = signal;
    book.graph.enter(wait);
    Activity activity = new Activity(Kind.LEASES, null, book.now());
    t.activity = activity;
    book.alarm.due(activity.startNs + book.limits.reportNs());
    return new LeaseWait(wait, signal);
  }

  private void sweepLease(Tenure t, DeviceEntry d, Lease lease) {
    BoundHandle handle = lease.handle;
    if (handle != null) {
      Result<List<LeakRecord>> swept = calls.run(t, Kind.SWEEP, null, handle::sweepAndPoison);
      if (swept.error() != null) {
        book.observer.failed("teardown of lease of " + lease.owner, swept.error());
      }
      bindings.report(d, swept.value());
    }
  }

  private void gone(Tenure t, DeviceEntry d) {
    if (!book.rules.mayGoOn(t) || d.state == State.GONE) {
      return;
    }
    d.state = State.GONE;
    book.remove(d);
    reports.remove(d.name());
    reports.put(d.name(), d.report(book.now()));
    List.copyOf(d.bindings.keySet()).forEach(bindings::retire);
    if (book.closed && book.devices.isEmpty()) {
      book.afterwards(book.alarm::stop);
    }
  }
}
