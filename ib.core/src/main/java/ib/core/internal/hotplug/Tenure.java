package ib.core.internal.hotplug;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One period in which a thread runs a device's operations: from taking the idle actor to leaving
 * it. Guarded by the book.
 */
final class Tenure {
  final Actor actor;
  final Thread thread;

  /** The tenure in whose callback, or for whose operation, the thread took this one; or null. */
  final @Nullable Tenure outer;

  /** Work that waits until the thread is out of the callback (CC-10). */
  final ArrayDeque<Runnable> later = new ArrayDeque<>();

  /** Whether the thread is the core's own, and does nothing else. */
  final boolean helper;

  /** Whether a helper has replaced the thread, which does nothing if it comes back (CC-19). */
  boolean revoked;

  /** The call into a client or a driver in which the thread is, or null. */
  @Nullable Activity activity;

  Tenure(Actor actor, Thread thread, @Nullable Tenure outer, boolean helper) {
    this.actor = actor;
    this.thread = thread;
    this.outer = outer;
    this.helper = helper;
  }

  /**
   * The tenure for whose operation the thread does a part here, on a child (CC-12, CC-23); null
   * when it does what was asked for here, also inside a callback of another device.
   */
  @Nullable Tenure whole() {
    return outer == null || outer.activity != null ? null : outer;
  }
}
