package ib.core.internal.event;

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
 * The thread of a device's events. It runs the {@link Dispatcher}, and then posts what that has
 * left here: one thread, since the bus keeps order per posting thread. It starts with the first
 * event and ends with the dispatcher.
 *
 * <p>A bus ought not to block in post; should one do so all the same (an EventAdmin that is being
 * stopped runs handlers in the poster), {@link #seize} gives the device another thread, which
 * leaves that bus alone until it returns. Nothing is in the blocked thread's hands but its post:
 * the dispatcher never posts itself.
 */
final class Poster implements Place, Runnable {
  private record Post(
      EventBus bus, String topic, Map<String, Object> properties, boolean numbered) {}

  private final EventHub hub;
  private final DeviceEvents events;
  private final BusLag lag; // guarded by this, as are the next three
  private final ArrayDeque<Post> posts = new ArrayDeque<>();
  private int unmirrored; // affiliated events not posted and not told of
  private boolean closed;
  private final AtomicReference<@Nullable Serial> turn =
      new AtomicReference<>(); // of the dispatcher
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile boolean open;
  // even: outside, odd: inside post. Who is inside may go on only if it finds its own odd number.
  private final AtomicLong phase = new AtomicLong();
  private volatile @Nullable EventBus postingTo;
  private volatile @Nullable EventBus stuckBus;
  // watch only
  private long seenPhase;
  private long seenNs;

  Poster(EventHub hub, DeviceEvents events) {
    this.hub = hub;
    this.events = events;
    this.lag = new BusLag(2 * hub.config().queueCapacity(), hub.config().returnTimeoutNs());
  }

  // ---- what is to be posted ----

  /**
   * Takes a numbered event, to be posted when the dispatcher has done its turn. For the dispatcher,
   * so that nothing comes back before the window knows of it.
   *
   * @return the bus; or null when there is none, it is stuck, or it has too much of ours
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
   * Takes an affiliated event, in any context.
   *
   * @return false after {@link #close}
   */
  boolean mirror(EventType type, Map<String, Object> properties, long timeNs) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      long now = hub.clock().nanoTime();
      EventBus bus = usable(now, true);
      if (bus == null) {
        unmirrored++;
        return true;
      }
      tellLosses(bus, now);
      add(bus, type, properties, timeNs, now);
    }
    wake();
    return true;
  }

  /** One event that tells how many affiliated ones were not posted, where they are missing. */
  private void tellLosses(EventBus bus, long now) {
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

  private void add(EventBus bus, EventType type, Map<String, Object> what, long key, long now) {
    events.counters().mirrored.increment();
    lag.posted(key, now);
    posts.add(new Post(bus, EventTopics.PREFIX + type.name(), what, false));
  }

  private @Nullable EventBus usable(long nowNs, boolean mirror) {
    EventBus bus = hub.bus();
    if (bus != null && (same(bus, stuckBus) || !lag.mayPost(nowNs, mirror))) {
      events.counters().unposted.increment();
      return null;
    }
    return bus;
  }

  /** What was posted under a key has come back. */
  void returned(long key) {
    synchronized (this) {
      lag.returned(key);
      EventBus bus = unmirrored > 0 ? hub.bus() : null;
      long now = bus == null ? 0 : hub.clock().nanoTime();
      if (bus == null || same(bus, stuckBus) || !lag.mayPost(now, true)) {
        return;
      }
      tellLosses(bus, now);
    }
    wake();
  }

  /** Affiliated events are refused from now on. */
  synchronized void close() {
    closed = true;
  }

  private synchronized @Nullable Post next() {
    Post post = posts.poll();
    while (post != null && same(post.bus, stuckBus)) {
      events.counters().unposted.increment();
      post = posts.poll();
    }
    return post;
  }

  private synchronized boolean isEmpty() {
    return posts.isEmpty();
  }

  // ---- the thread ----

  /** From now on the dispatcher runs. */
  void open() {
    open = true;
    if (turn.get() != null || !isEmpty()) {
      wake();
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

  /** There is something to do, or it has ended; any context. */
  void wake() {
    Thread t = thread.get();
    if (t != null) {
      LockSupport.unpark(t);
    } else if (open && !events.hasEnded()) {
      start(null);
    }
  }

  private void start(@Nullable Thread before) {
    Thread t =
        Thread.ofVirtual() // as many as there are devices
            .name("ib-" + events.name() + "-events")
            .inheritInheritableThreadLocals(false)
            .unstarted(this);
    // whichever driver's thread brought the first event: its class loader is not kept alive by us
    t.setContextClassLoader(Poster.class.getClassLoader());
    if (thread.compareAndSet(before, t)) {
      try {
        t.start();
      } catch (Throwable e) { // no more threads: the next event tries again
        thread.compareAndSet(t, null);
        throw e;
      }
    }
  }

  @Override
  public void run() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = step();
      } catch (Throwable t) { // never leave a device without its dispatcher
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
      LockSupport.park(this);
    } else {
      return !isEmpty(); // looked at again: nothing is added any more
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
    } catch (Throwable t) { // foreign code: whatever it throws, the dispatcher goes on
      thrown = t;
    }
    boolean mine = phase.compareAndSet(inside, inside + 1);
    if (!mine) {
      stuckBus = null; // back at last: the bus may be used again
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

  /** For the watch: gives the device another thread when this one is in a post for too long. */
  void seize(long nowNs) {
    long p = phase.get();
    if ((p & 1) == 0 || p != seenPhase) {
      seenPhase = p;
      seenNs = nowNs;
      return;
    }
    if (nowNs - seenNs < hub.config().returnTimeoutNs()) {
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

  @SuppressWarnings("ReferenceEquality") // the very same bus, which is stuck
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
