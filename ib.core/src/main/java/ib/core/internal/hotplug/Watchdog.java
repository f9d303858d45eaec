package ib.core.internal.hotplug;

import ib.core.client.ClientStatus;
import ib.core.internal.hotplug.Activity.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Watches for callbacks that do not return (CC-19, F19, F20). It reports such a callback with
 * client, thread, stack and the objects that the client holds. If a thread waits for a fence and
 * the deadline has passed, it revokes the client's handle and lets a helper go on; it never touches
 * the stuck thread. A wait for an operation that is no fence (a rename, a rebind, adds) ends at the
 * deadline, and no client is revoked for it.
 */
final class Watchdog {
  private static final int FRAMES = 64;

  private final Book book;

  Watchdog(Book book) {
    this.book = book;
  }

  /** A report that is sent after the lock is released. */
  private record Finding(
      DeviceEntry device, Activity activity, Thread thread, List<String> leases, boolean revoked) {}

  /**
   * Looks at the running callbacks of all devices.
   *
   * @param nowNs the time
   * @return when to call this again
   */
  long scan(long nowNs) {
    List<Finding> findings = new ArrayList<>();
    long next = book.compute(() -> look(nowNs, findings));
    findings.forEach(f -> book.observer.stuck(report(f, nowNs)));
    return next;
  }

  private long look(long nowNs, List<Finding> findings) {
    long next = Sync.Alarm.NEVER;
    for (DeviceEntry d : List.copyOf(book.devices)) {
      next = Math.min(next, d.actor.letGo(nowNs));
      Tenure t = d.actor.tenure();
      Activity a = t == null ? null : t.activity;
      if (t == null || a == null) {
        continue;
      }
      long deadline = deadline(t, a);
      boolean revoke = nowNs >= deadline;
      boolean report = !a.reported && nowNs >= a.startNs + book.limits.reportNs();
      if (revoke || report) {
        List<String> leases = d.leases.stream().map(Lease::text).toList();
        findings.add(new Finding(d, a, t.thread, leases, revoke));
        a.reported = true;
      }
      if (revoke) {
        revoke(d, t, a, nowNs);
      } else {
        next = Math.min(next, a.reported ? deadline : a.startNs + book.limits.reportNs());
      }
    }
    return next;
  }

  /**
   * {@return when the client is revoked: never, unless a thread waits for a fence, of this device
   * or of one whose operation has its part here}
   */
  private long deadline(Tenure t, Activity a) {
    long fence = t.actor.fenceSinceNs();
    for (Tenure o = t.whole(); o != null; o = o.whole()) {
      fence = Math.min(fence, o.actor.fenceSinceNs());
    }
    return fence == Sync.Alarm.NEVER
        ? Sync.Alarm.NEVER
        : Math.max(a.startNs, fence) + book.limits.deadlineNs();
  }

  private void revoke(DeviceEntry d, Tenure t, Activity a, long nowNs) {
    if (a.kind == Kind.LEASES) {
      t.activity = null;
      d.leases.forEach(Lease::revoke);
      Sync.Signal signal = d.leaseSignal;
      if (signal != null) {
        d.leaseSignal = null;
        signal.fire();
      }
      return;
    }
    Binding b = a.binding;
    if (b != null) {
      b.state = ClientStatus.State.BROKEN;
      b.lastError = a.text() + " did not return in " + (nowNs - a.startNs) / 1_000_000 + " ms";
      d.live.remove(b);
      d.step(b, nowNs - a.startNs);
      b.swept |= a.kind == Kind.SWEEP; // as complete as it can be
      b.client.broken.add(b);
    }
    d.actor.takeOver();
    for (Tenure o = t.whole(); o != null; o = o.whole()) {
      o.actor.takeOver(o); // the thread that is stuck on a child would do the parent's next step
    }
  }

  private static Observer.Stuck report(Finding f, long nowNs) {
    Binding b = f.activity.binding;
    BoundHandle handle = b == null ? null : b.handle;
    return new Observer.Stuck(
        f.device.name(),
        b == null ? null : b.client.name,
        f.activity.kind.label,
        nowNs - f.activity.startNs,
        f.thread.getName(),
        stack(f.thread),
        f.activity.kind == Kind.LEASES ? f.leases : held(handle),
        f.revoked);
  }

  private static List<String> held(@Nullable BoundHandle handle) {
    return handle == null ? List.of() : handle.held();
  }

  /** A thread's stack as text: it stays readable when the bundle is gone (B10). */
  static List<String> stack(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .limit(FRAMES)
        .map(StackTraceElement::toString)
        .toList();
  }
}
