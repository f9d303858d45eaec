package ib.core.internal.hotplug;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of hot-plug: devices, clients, and which thread runs which device's operations. The
 * leaf lock of the wait-for graph guards all of it, so that operations, running threads, leases and
 * waits are one picture. A thread holds that lock for a few field accesses, never while it waits
 * and never while it runs code of a client, a driver or an observer (I5).
 */
final class Book {
  private static final int MAX_NAME = 200;

  private final ReentrantLock lock;
  private final ArrayDeque<Runnable> effects = new ArrayDeque<>();

  /** The wait-for graph. */
  final WaitGraph graph;

  /** Whether the calling thread is in a callback that may not sleep: it runs no operation. */
  final BooleanSupplier atomic;

  final Sync sync;
  final LongSupplier clock;
  volatile Limits limits;
  final Rules rules;
  final Observer observer;
  final Sync.Alarm alarm;

  // ---- guarded by the lock ----

  /**
   * Devices from announcement to GONE, in the order of their announcement; {@link Inventory#byName}
   * reads them without the lock.
   */
  final List<DeviceEntry> devices = new CopyOnWriteArrayList<>();

  /** Clients from registration to LEFT. */
  final ClientTable clients = new ClientTable();

  /**
   * By thread, the innermost device whose operation it runs. A thread without an entry runs none,
   * so it is in no callback.
   */
  final Map<Thread, Tenure> tenures = new HashMap<>();

  boolean closed;

  Book(
      WaitGraph graph,
      BooleanSupplier atomic,
      Sync sync,
      LongSupplier clock,
      Limits limits,
      Rules rules,
      Observer observer) {
    this.graph = graph;
    this.lock = graph.leaf();
    this.atomic = atomic;
    this.sync = sync;
    this.clock = clock;
    this.limits = limits;
    this.rules = rules;
    this.observer = new SafeObserver(observer);
    this.alarm = sync.alarm(now -> new Watchdog(this).scan(now));
    graph.owed(this::ahead);
  }

  /** A book with real threads, and a clock from 0 on: its times never overflow. */
  static Book real(WaitGraph graph, BooleanSupplier atomic, Limits limits, Observer observer) {
    long origin = System.nanoTime();
    LongSupplier clock = () -> System.nanoTime() - origin;
    return new Book(graph, atomic, new SystemSync(clock), clock, limits, new Rules(), observer);
  }

  /** For whom an owner will have to wait in what it runs: children, lease holders; guarded. */
  private void ahead(Thread owner, Waits.Rank least, Consumer<? super Thread> to) {
    for (Tenure t = tenures.get(owner); t != null; t = t.outer) {
      if (t.actor.rankOf(t).compareTo(least) >= 0) {
        t.actor.needsOf(t).forEach(to);
      }
    }
  }

  void limits(Limits changed) {
    if (!changed.equals(limits)) {
      limits = changed;
      alarm.due(now());
    }
  }

  /** Computes something under the lock. */
  <T> T compute(Supplier<T> section) {
    if (lock.isHeldByCurrentThread()) {
      throw new IllegalStateException("the book is a leaf lock");
    }
    sync.step();
    T value;
    List<Runnable> mine;
    lock.lock();
    try {
      value = section.get();
    } finally {
      mine = List.copyOf(effects);
      effects.clear();
      lock.unlock();
    }
    mine.forEach(Runnable::run);
    return value;
  }

  /** Computes something that may be absent under the lock. */
  <T> @Nullable T find(Supplier<? extends @Nullable T> section) {
    Object[] found = new Object[1];
    update(() -> found[0] = section.get());
    @SuppressWarnings("unchecked")
    @Nullable T value = (T) found[0];
    return value;
  }

  /** Changes something under the lock. */
  void update(Runnable section) {
    boolean done =
        compute(
            () -> {
              section.run();
              return true;
            });
    assert done;
  }

  /** Runs an action on this thread after the lock is released; called with the lock held. */
  void afterwards(Runnable effect) {
    effects.add(effect);
  }

  /** Whether this thread holds the lock: nothing of a client may run then. */
  boolean heldByMe() {
    return lock.isHeldByCurrentThread();
  }

  /** Refuses a name of a device or a client that no log could show. */
  static void checkName(String what, String name) {
    if (name.isBlank() || name.length() > MAX_NAME) {
      String why = "its name has " + name.length() + " characters";
      throw new IbInvalidException(what, why, "1 to " + MAX_NAME + ", not only blanks");
    }
  }

  /** Forgets a device that is gone; guarded by the book. */
  void remove(DeviceEntry d) {
    devices.remove(d);
    if (d.parent != null) {
      d.parent.children.remove(d);
    }
    freed();
  }

  /** Tells the observer that a name or GUID is free; guarded by the book. */
  void freed() {
    if (!closed) {
      afterwards(observer::freed);
    }
  }

  long now() {
    return clock.getAsLong();
  }
}
