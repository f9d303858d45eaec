package ib.core.internal.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.EventTopics;
import ib.core.serial.Place;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.verbs.EventType;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a device's events. The thread runs the {@link Dispatcher} and then posts the events
 * that the dispatcher has queued here. One thread does both, because the bus keeps the order per
 * posting thread. The thread starts with the first event and ends with the dispatcher.
 *
 * <p>A bus should not block in post. If a bus blocks (an EventAdmin that is being stopped runs
 * handlers on the posting thread), {@link #seize} gives the device another thread, which does not
 * use that bus until the post returns. The blocked thread holds only its own post, because the
 * dispatcher never posts.
 *
 * <p>The monitor is a leaf: no thread calls a bus, a handler or a driver while it holds it.
 */
final class Poster implements Place, Runnable {
  private record Post(
      EventBus bus, String topic, Map<String, Object> properties, boolean numbered) {}

  private final EventHub hub;
  private final DeviceEvents events;

  @GuardedBy("this")
  private final BusLag lag;

  @GuardedBy("this")
  private final ArrayDeque<Post> posts = new ArrayDeque<>();

  @GuardedBy("this")
  private int unmirrored; // affiliated events not posted and not reported as lost

  @GuardedBy("this")
  private boolean closed;

  private final AtomicReference<@Nullable Serial> turn = new AtomicReference<>(); // the dispatcher
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile boolean open;
  private volatile boolean parked; // the thread waits, or is about to; it clears this first
  // even: outside, odd: inside post; a thread inside may go on only if it finds its own odd number
  private final AtomicLong phase = new AtomicLong();
  private volatile @Nullable EventBus postingTo;
  private volatile @Nullable EventBus stuckBus;
  // used on the watch's thread only
  private long seenPhase;
  private long seenNs;

  Poster(EventHub hub, DeviceEvents events) {
    this.hub = hub;
    this.events = events;
    this.lag = new BusLag(2 * hub.config.queueCapacity(), hub.config.returnTimeoutNs());
  }

  // ---- the queue of posts ----

  /**
   * Queues a numbered event, which the thread posts after the dispatcher's run. Only the dispatcher
   * calls this method, so that no event comes back before the window holds it.
   *
   * @return the bus; or null when there is none, it is stuck, or it holds too many posts of this
   *     device
   */
  synchronized @Nullable EventBus offer(DeviceEvent event, long nowNs) {
    EventBus bus = usable(nowNs, false);
    if (bus != null) {
      lag.posted(event.sequence(), nowNs);
      posts.add(new Post(bus, event.topic(), event.properties(events.name()), true));
    }
    return bus;
  }

  /**
   * Queues an affiliated event. Only the device's vector for events calls this method.
   *
   * @return false after {@link #close}
   */
  boolean mirror(EventType type, Map<String, Object> properties, long timeNs) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      long now = hub.clock.nanoTime();
      EventBus bus = usable(now, true);
      if (bus == null) {
        unmirrored++;
        return true;
      }
      postLosses(bus, now);
      add(bus, type, properties, timeNs, now);
    }
    wake();
    return true;
  }

  /** Queues one event with the number of affiliated events that are missing at this place. */
  @GuardedBy("this")
  private void postLosses(EventBus bus, long now) {
    if (unmirrored > 0) {
      Map<String, Object> properties =
          Map.of(
              EventTopics.DEVICE,
              events.name(),
              EventTopics.TIME,
              now,
              EventTopics.LOST,
              unmirrored);
      unmirrored = 0;
      add(bus, EventType.EVENT_OVERFLOW, properties, now, now);
    }
  }

  @GuardedBy("this")
  private void add(EventBus bus, EventType type, Map<String, Object> what, long key, long now) {
    events.counters.mirrored.increment();
    lag.posted(key, now);
    posts.add(new Post(bus, EventTopics.PREFIX + type.name(), what, false));
  }

  @GuardedBy("this")
  private @Nullable EventBus usable(long nowNs, boolean mirror) {
    EventBus bus = hub.bus();
    if (bus != null && (same(bus, stuckBus) || !lag.mayPost(nowNs, mirror))) {
      events.counters.unposted.increment();
      return null;
    }
    return bus;
  }

  /** The bus has given back the event that was posted under a key. */
  void returned(long key) {
    synchronized (this) {
      lag.returned(key);
      EventBus bus = unmirrored > 0 ? hub.bus() : null;
      long now = bus == null ? 0 : hub.clock.nanoTime();
      if (bus == null || same(bus, stuckBus) || !lag.mayPost(now, true)) {
        return;
      }
      postLosses(bus, now);
    }
    wake();
  }

  /** Ends the acceptance of affiliated events. */
  synchronized void close() {
    closed = true;
  }

  private synchronized @Nullable Post next() {
    Post post = posts.poll();
    while (post != null && same(post.bus, stuckBus)) {
      events.counters.unposted.increment();
      post = posts.poll();
    }
    return post;
  }

  private synchronized boolean isEmpty() {
    return posts.isEmpty();
  }

  // ---- the thread ----

  /** Starts the thread when there is work, now and later. */
  void open() {
    open = true;
    resume();
  }

  /** Starts the thread when there is none and there is work, for example after a failed start. */
  void resume() {
    if (thread.get() == null && (turn.get() != null || !isEmpty())) {
      try {
        wake();
      } catch (Throwable t) { // for example no memory for a thread: the watch tries again
        hub.reports().trouble(events.name(), "the event dispatcher cannot start now", t);
      }
    }
  }

  boolean isOpen() {
    return open;
  }

  @Override
  public void submit(Serial dispatcher) {
    turn.set(dispatcher);
    try {
      wake();
    } catch (Throwable t) { // for example no memory for a thread
      if (turn.compareAndSet(dispatcher, null)) {
        throw t;
      }
    }
  }

  /** {@return whether there is no work and the thread waits, has ended, or was never needed} */
  boolean rests() {
    if (events.hasEnded()) {
      return true;
    }
    return turn.get() == null && isEmpty() && (thread.get() == null || parked);
  }

  /** Wakes or starts the thread, when there is work or when it is to end; any context. */
  void wake() {
    hub.stir();
    Thread t = thread.get();
    if (t != null) {
      LockSupport.unpark(t);
    } else if (open && !events.hasEnded()) {
      start(null);
    }
  }

  /**
   * Makes and starts the thread in place of another one, or of none. When that throws, for example
   * because there is no memory for a thread, the poster has no thread, and the next event or the
   * watch tries again.
   */
  private void start(@Nullable Thread before) {
    Thread held = before;
    try {
      Thread t = hub.posters.newThread(this);
      t.setName("ib-" + events.name() + "-events");
      // the thread must not keep the class loader of the thread that raised the first event
      t.setContextClassLoader(Poster.class.getClassLoader());
      if (thread.compareAndSet(before, t)) {
        held = t;
        t.start();
      }
    } catch (Throwable e) { // thrown again: the caller reports it
      thread.compareAndSet(held, null);
      throw e;
    }
  }

  @Override
  public void run() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = step();
      } catch (Throwable t) { // a device must not lose its dispatcher
        hub.reports().trouble(events.name(), "the event dispatcher failed, and goes on", t);
      }
    }
  }

  /** {@return false when the dispatcher has ended, or another thread has taken over} */
  private boolean step() {
    Post post = next();
    if (post != null) {
      return post(post);
    }
    Serial dispatcher = turn.getAndSet(null);
    if (dispatcher != null) {
      dispatcher.arrived();
    } else if (!events.hasEnded()) {
      parked = true;
      if (turn.get() == null && isEmpty()) {
        LockSupport.park(this);
      }
      parked = false;
    } else {
      return !isEmpty(); // checked again after the end: no event is added any more
    }
    return true;
  }

  private boolean post(Post post) {
    postingTo = post.bus;
    long inside = phase.incrementAndGet();
    boolean taken = false;
    Throwable thrown = null;
    try {
      taken = post.bus.post(post.topic, post.properties);
    } catch (Throwable t) { // the dispatcher goes on, whatever the bus throws
      thrown = t;
    }
    boolean mine = phase.compareAndSet(inside, inside + 1);
    if (!mine) {
      stuckBus = null; // the post has returned: the bus may be used again
    }
    if (thrown != null) {
      String text = "the event bus failed to take " + post.topic;
      hub.reports().trouble(events.name(), text, thrown);
    }
    if (mine && !taken && post.numbered) {
      events.refused();
    }
    return mine;
  }

  /**
   * Gives the device another thread when the present one is inside a post for longer than the
   * return timeout. Only the watch calls this method.
   */
  void seize(long nowNs) {
    long p = phase.get();
    if ((p & 1) == 0 || p != seenPhase) {
      seenPhase = p;
      seenNs = nowNs;
      return;
    }
    if (nowNs - seenNs < hub.config.returnTimeoutNs()) {
      return;
    }
    Thread blocked = thread.get();
    stuckBus = postingTo;
    if (phase.compareAndSet(p, p + 1)) {
      hub.reports()
          .trouble(events.name(), "the event bus blocks its poster: going on without it", null);
      start(blocked);
    } else {
      stuckBus = null;
    }
  }

  @SuppressWarnings("ReferenceEquality") // the same bus is meant, not an equal one
  private static boolean same(EventBus a, @Nullable EventBus b) {
    return a == b;
  }

  /** {@return a target that is over when the dispatcher and its thread have ended} */
  Waits.Target end() {
    return new Ended(this);
  }

  private record Ended(Poster poster) implements Waits.Target {
    @Override
    public boolean over() {
      Thread t = poster.thread.get();
      return poster.events.hasEnded() && (t == null || !t.isAlive());
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = poster.thread.get();
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the event dispatcher of " + poster.events.name();
    }
  }
}
