package ib.core.internal.hotplug;

import ib.core.internal.hotplug.Activity.Kind;
import ib.core.internal.trace.HotplugEvent;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Calls to code of clients and drivers: without locks, watched, with the right class loader (2.6,
 * 8b).
 */
final class Calls {
  /**
   * How a call went.
   *
   * @param abandoned whether the thread was revoked meanwhile: it must do nothing more
   * @param value what was returned
   * @param error what was thrown
   * @param ns how long it took
   */
  record Result<T>(boolean abandoned, @Nullable T value, @Nullable Throwable error, long ns) {}

  private final Book book;

  Calls(Book book) {
    this.book = book;
  }

  <T> Result<T> run(
      Tenure tenure, Kind kind, @Nullable Binding binding, Callable<? extends @Nullable T> body) {
    Activity activity = book.find(() -> begin(tenure, kind, binding));
    if (activity == null) {
      return new Result<>(true, null, null, 0);
    }
    HotplugEvent event = new HotplugEvent();
    event.begin();
    T value = null;
    Throwable error = null;
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      if (binding != null) {
        thread.setContextClassLoader(binding.client.client.getClass().getClassLoader());
      }
      @SuppressWarnings("unchecked")
      T returned = (T) book.rules.call(body);
      value = returned;
    } catch (Throwable t) {
      error = t; // reported by the caller as the binding's or the device's last error
    } finally {
      thread.setContextClassLoader(before);
    }
    if (event.shouldCommit()) {
      event.device = tenure.actor.device.name();
      event.phase = kind.label;
      event.client = binding == null ? "" : binding.client.name;
      event.failure = error == null ? "" : error.toString();
      event.commit();
    }
    boolean goOn = book.compute(() -> end(tenure, activity));
    return new Result<>(!goOn, value, error, book.now() - activity.startNs);
  }

  private @Nullable Activity begin(Tenure tenure, Kind kind, @Nullable Binding binding) {
    if (!book.rules.mayGoOn(tenure)) {
      return null;
    }
    Activity activity = new Activity(kind, binding, book.now());
    tenure.activity = activity;
    book.alarm.due(activity.startNs + book.limits.reportNs());
    return activity;
  }

  private boolean end(Tenure tenure, Activity activity) {
    if (tenure.revoked) {
      Binding b = activity.binding;
      if (b != null && b.client.broken.remove(b)) {
        String text =
            activity.text() + " on " + b.device.name() + " has returned after its deadline";
        book.afterwards(() -> book.observer.note(text));
      }
    }
    tenure.activity = null;
    return book.rules.mayGoOn(tenure);
  }
}
