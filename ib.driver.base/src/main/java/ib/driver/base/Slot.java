package ib.driver.base;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One configured device. The target state (a configuration; plugged or not) may be set by any
 * thread at any time without waiting. A worker thread, which exists only while there is work,
 * brings the device to that state. So a client that blocks in its {@code add} delays its own device
 * only (F19), never the thread that delivers configurations. No lock is held while client code runs
 * (S30, I5).
 *
 * <p>If a device cannot be built because a resource of the system is in use, the worker tries
 * again, with growing pauses, until the device is built or no longer wanted.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Slot<C extends DeviceConfig<C>> implements DeviceSlot {
  private static final int PAUSE_LEAST_S = 1;
  private static final int PAUSE_MOST_S = 30;

  private final String pid;
  private final String instance;
  private final Plugged.Factory<C> factory;
  private final Announcer<C> announcer;
  private final SlotObserver observer;

  private final ReentrantLock lock =
      new ReentrantLock(); // a leaf lock: no other lock is taken while it is held, but the observer
  // starts a thread
  private final Condition changed = lock.newCondition();
  // guarded by lock
  private @Nullable C target;
  private @Nullable C reaching;
  private boolean wanted = true;
  private boolean closing;
  private @Nullable Throwable failure;
  // written while lock is held; waiting threads read them without it
  private volatile long revision;
  private volatile long settled;
  private volatile boolean working;
  private volatile @Nullable Thread worker;

  // written by the worker only; volatile fields are read by any thread
  private volatile @Nullable C applied;
  private volatile @Nullable Plugged<C> plugged;
  private volatile long order;
  private @Nullable Runnable withdraw;
  private Announcer.@Nullable Offer offer;
  private String offeredName = "";
  private String refused = ""; // the last reported failure, while the worker tries again

  Slot(
      String pid,
      String instance,
      Plugged.Factory<C> factory,
      Announcer<C> announcer,
      SlotObserver observer) {
    this.pid = pid;
    this.instance = instance;
    this.factory = factory;
    this.announcer = announcer;
    this.observer = observer;
  }

  /** {@return the PID of the slot's configuration} */
  public String pid() {
    return pid;
  }

  @Override
  public String name() {
    C now = applied;
    return now == null ? instance : now.name();
  }

  @Override
  public boolean plugged() {
    return plugged != null;
  }

  @Override
  public void plug() {
    Throwable why = await("plug", request(() -> wanted = true));
    if (!plugged()) {
      if (why instanceof IbException e) {
        throw e;
      }
      throw new IbNoDeviceException(
          name() + ".plug", why == null ? "unplugged meanwhile" : why.toString(), "ib:plug again");
    }
  }

  @Override
  public void unplug() {
    await("unplug", request(() -> wanted = false));
  }

  /** Sets the target configuration; null ends the slot. Does not wait. */
  void configure(@Nullable C config) {
    request(() -> target = config);
  }

  /** Makes the worker build the device again if it is outdated. Does not wait. */
  void review() {
    request(() -> {});
  }

  /** Plugs no device from now on. Does not wait. */
  void close() {
    request(() -> closing = true);
  }

  /** Unplugs for good and waits until that is done. */
  void end() {
    request(() -> target = null);
    quiesce();
  }

  /**
   * Waits until all requests so far are carried out. This depends on clients, which the core's
   * watchdog observes (CC-19). Called by the worker itself, it returns at once. Where the worker
   * waits for the caller, or after 120 s, it reports that and returns.
   */
  public void quiesce() {
    End end = settled(revision, Waits.Rank.CLOSES);
    if (end.kind() == End.Kind.REFUSED || end.kind() == End.Kind.TIMEOUT) {
      observer.failed(name(), Settled.refusal(name() + ".quiesce", end));
    }
  }

  private End settled(long until, Waits.Rank rank) {
    return announcer.waits().await(new Settled(this, until), rank, Settled.LIMIT_NS);
  }

  /** {@return whether all requests up to a number are carried out} */
  boolean reached(long until) {
    return settled >= until;
  }

  /** {@return the worker thread; null while there is no work} */
  @Nullable Thread worker() {
    return working ? worker : null;
  }

  /**
   * {@return the configurations whose names and GUIDs the slot holds: target, in progress, applied}
   */
  List<C> claims() {
    lock.lock();
    try {
      List<C> claims = new ArrayList<>(Arrays.asList(target, reaching, applied));
      claims.removeIf(Objects::isNull); // the same one twice does no harm: nothing is hashed
      return claims;
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@return whether the slot has ended: there is no target, and the worker has unplugged the
   * device}
   */
  boolean gone() {
    lock.lock();
    try {
      return target == null && settled == revision;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the device's number in the order of announcements, from 1; 0 when unplugged} */
  long order() {
    return order;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // lock is held
  private long request(Runnable change) {
    lock.lock();
    try {
      if (closing && target == null && settled == revision) {
        return revision; // the bundle has stopped
      }
      change.run();
      revision = revision + 1;
      changed.signalAll();
      if (!working) {
        working = true;
        worker = observer.start(this, this::work);
      }
      return revision;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Throwable await(String what, long until) {
    End end = settled(until, Waits.Rank.QUEUED);
    if (!end.done()) {
      throw Settled.refusal(name() + "." + what, end);
    }
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    int pauseS = PAUSE_LEAST_S;
    while (true) {
      C config;
      boolean in;
      boolean mayPlug;
      long seen;
      lock.lock();
      try {
        config = target;
        reaching = config;
        in = wanted;
        mayPlug = !closing;
        seen = revision;
      } finally {
        lock.unlock();
      }
      Throwable why = null;
      try {
        reach(config, in, mayPlug);
        refused = "";
      } catch (RuntimeException | Error e) {
        why = e;
        report(config, e);
      }
      settle(seen, why);
      observer.settled(this);
      if (why instanceof IbAgainException) {
        pause(seen, pauseS);
        pauseS = Math.min(2 * pauseS, PAUSE_MOST_S);
      } else if (!more()) {
        return;
      }
    }
  }

  /** Reports a failure; a failure that repeats at each try is reported once. */
  private void report(@Nullable C config, Throwable why) {
    String text = String.valueOf(why.getMessage());
    if (!(why instanceof IbAgainException) || !text.equals(refused)) {
      observer.failed(config == null ? instance : config.name(), why);
    }
    refused = why instanceof IbAgainException ? text : "";
  }

  /** Waits for a new request, at most for a time. */
  private void pause(long seen, int seconds) {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(seconds);
      while (revision == seen && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next try comes early
    } finally {
      lock.unlock();
    }
  }

  private void settle(long seen, @Nullable Throwable why) {
    lock.lock();
    try {
      failure = why;
      reaching = null;
      settled = seen;
    } finally {
      lock.unlock();
    }
  }

  private boolean more() {
    lock.lock();
    try {
      working = settled != revision;
      return working;
    } finally {
      lock.unlock();
    }
  }

  private void reach(@Nullable C config, boolean in, boolean mayPlug) {
    C running = applied;
    Plugged<C> device = plugged;
    Plugged<C> good = device == null || device.outdated() ? null : device;
    if (config != null && in && good != null && running != null && config.liveChangeOf(running)) {
      if (!config.equals(running)) {
        good.change(config);
        applied = config;
      }
      return;
    }
    if (device != null && (config == null || !in || good == null || !config.equals(running))) {
      pullOut(device);
    }
    applied = config;
    if (config == null) {
      takeBackOffer();
      return;
    }
    offer(config.name());
    if (in && mayPlug && plugged == null) {
      putIn(config);
    }
  }

  private void putIn(C config) {
    Plugged<C> device = factory.plug(config);
    boolean ok = false;
    try {
      withdraw = announcer.announce(device);
      order = observer.announced();
      plugged = device;
      ok = true;
      tell(true);
    } finally {
      if (!ok) {
        device.unplug();
      }
    }
  }

  private void pullOut(Plugged<C> device) {
    Runnable first = withdraw;
    withdraw = null;
    plugged = null;
    order = 0;
    tell(false);
    try {
      if (first != null) {
        first.run(); // S28: the device works until the last client was removed
      }
    } finally {
      device.unplug();
    }
  }

  private void tell(boolean in) {
    Announcer.Offer now = offer;
    if (now != null) {
      now.plugged(in);
    }
  }

  private void offer(String name) {
    if (!name.equals(offeredName)) {
      takeBackOffer();
      offer = announcer.offer(this);
      offeredName = name;
    }
  }

  private void takeBackOffer() {
    Announcer.Offer last = offer;
    offer = null;
    offeredName = "";
    if (last != null) {
      last.end();
    }
  }
}
