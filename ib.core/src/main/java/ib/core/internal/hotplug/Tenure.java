package ib.core.internal.hotplug;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A thread's ownership of a device: from taking an idle actor to leaving it. Guarded by the book.
 */
final class Tenure {
  final Actor actor;
  final Thread thread;

  /** What the thread owned when it took this, since it is inside a callback of that. */
  final @Nullable Tenure outer;

  /** Work that waits until the thread is out of the callback (CC-10). */
  final ArrayDeque<Runnable> later = new ArrayDeque<>();

  /** Whether the thread is the core's own, and does nothing else. */
  final boolean helper;

  /** Taken away: the thread may come back at any time and does nothing then (CC-19). */
  boolean revoked;

  /** What it is calling. */
  @Nullable Activity activity;

  Tenure(Actor actor, Thread thread, @Nullable Tenure outer, boolean helper) {
    this.actor = actor;
    this.thread = thread;
    this.outer = outer;
    this.helper = helper;
  }
}
