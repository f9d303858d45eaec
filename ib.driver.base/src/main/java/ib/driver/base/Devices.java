package ib.driver.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.serial.EndOf;
import ib.core.serial.Waits;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * All configured devices of one driver bundle. A wrong configuration, or one whose name or GUID is
 * in use, changes nothing: the device keeps its last good configuration. A configuration in
 * conflict is tried again when a name becomes free ({@link #again}), so a file may be renamed. Only
 * two configurations that swap their names stay refused; delete one of them first. Any thread may
 * call.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Devices<C extends DeviceConfig<C>> implements SlotObserver {

  private static final long JOIN_NS = 10_000_000_000L;
  private static final long TURN_NS = 10_000_000_000L;

  /** The log of the driver. */
  @FunctionalInterface
  public interface Log {
    /**
     * Reports a refusal or a failure.
     *
     * @param text the complete report
     * @param why the cause
     */
    void error(String text, Throwable why);
  }

  /**
   * Reads configurations from raw values.
   *
   * @param <C> the driver's kind of configuration
   */
  @FunctionalInterface
  public interface Reader<C> {
    /**
     * Reads a configuration.
     *
     * @param instance name of the configuration
     * @param values the values
     * @return the configuration
     * @throws IbInvalidException naming each key with a wrong value
     */
    C read(String instance, Map<String, ?> values);
  }

  private final Reader<C> reader;
  private final Plugged.Factory<C> factory;
  private final Announcer<C> announcer;
  private final Log log;
  private final AtomicLong announcements = new AtomicLong();

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  private final Turns turns = new Turns(TURN_NS);

  @GuardedBy("this")
  private final Map<String, Slot<C>> slots = new LinkedHashMap<>();

  @GuardedBy("this")
  private final Map<String, C> conflicting = new HashMap<>();

  @GuardedBy("this")
  private boolean stopped;

  /**
   * Creates the table, without devices.
   *
   * @param reader reads configurations
   * @param factory builds devices
   * @param announcer announces devices
   * @param log where failures are reported
   */
  public Devices(Reader<C> reader, Plugged.Factory<C> factory, Announcer<C> announcer, Log log) {
    this.reader = reader;
    this.factory = factory;
    this.announcer = announcer;
    this.log = log;
  }

  /**
   * Sets which configurations will arrive at the start. Their devices are plugged in the order of
   * the PIDs, so that the order is the same at each start. Call before the first {@link
   * #configure}.
   *
   * @param pids PIDs of the configurations
   */
  public void expect(Collection<String> pids) {
    turns.expect(pids);
  }

  /**
   * Adds or changes a configuration. Does not wait for the device.
   *
   * @param pid PID of the configuration
   * @param values values of the configuration
   */
  public void configure(String pid, Map<String, ?> values) {
    synchronized (this) {
      if (stopped) {
        return; // the bundle may be uninstalled, so none of its classes may be loaded any more
      }
    }
    C config;
    try {
      config = reader.read(instance(pid), values);
    } catch (IbInvalidException e) {
      synchronized (this) {
        conflicting.remove(pid);
      }
      turns.over(pid);
      log.error(refusal(pid, e), e);
      return;
    }
    synchronized (this) {
      conflicting.put(pid, config);
    }
    accept(pid, config)
        .ifPresent(
            why -> {
              turns.over(pid);
              log.error(refusal(pid, why), why);
            });
  }

  /**
   * Deletes a configuration. Does not wait for the device.
   *
   * @param pid PID of the configuration
   */
  public void delete(String pid) {
    Slot<C> slot;
    synchronized (this) {
      conflicting.remove(pid);
      slot = slots.get(pid);
    }
    if (slot == null) {
      turns.over(pid);
    } else {
      slot.configure(null);
    }
  }

  /** Builds all outdated devices again, after their surroundings have changed. Does not wait. */
  public void review() {
    slots().forEach(Slot::review);
  }

  /**
   * Tries the configurations again that were refused because another one, or a device of another
   * driver, has the name or GUID; that one may have gone. Does not wait.
   */
  public void again() {
    Map<String, C> refused;
    synchronized (this) {
      refused = new TreeMap<>(conflicting);
    }
    refused.forEach(this::accept); // a conflict that persists has been reported before
  }

  /**
   * Unplugs all devices, the one announced last first (CC-22), and waits for each, but for one that
   * waits, in the end, for the caller, which is reported. Later configurations are ignored.
   */
  public void stop() {
    List<Slot<C>> all;
    synchronized (this) {
      stopped = true;
      conflicting.clear();
      all = new ArrayList<>(slots.values());
    }
    all.forEach(Slot::close);
    turns.end(); // after close(), so that no waiting device is plugged now
    all.forEach(Slot::quiesce); // afterwards every announced device has its place in the order
    all.sort(Comparator.comparingLong((Slot<C> s) -> s.order()).reversed());
    all.forEach(Slot::end);
    joinThreads();
  }

  /**
   * Waits for the slots' threads, none of which may outlive the bundle (F35), but for a thread that
   * waits, in the end, for the caller: that was reported when its slot was waited for.
   */
  private void joinThreads() {
    Set<Thread> joined = new HashSet<>();
    boolean all = true;
    for (Thread t = unjoined(joined); t != null; t = unjoined(joined)) {
      all &= announcer.waits().await(new EndOf(t), Waits.Rank.CLOSES, JOIN_NS).done();
    }
    ended = all; // a thread that starts from here on does nothing
    if (all) {
      for (Thread t : threads) { // one may have started after it was looked at
        announcer.waits().await(new EndOf(t), Waits.Rank.CLOSES, JOIN_NS);
      }
    }
  }

  private @Nullable Thread unjoined(Set<Thread> joined) {
    for (Thread thread : threads) { // the last act of a thread may be to start another one
      if (joined.add(thread)) {
        return thread;
      }
    }
    return null;
  }

  /** {@return the slots, in the order of their configuration} */
  public synchronized List<Slot<C>> slots() {
    return List.copyOf(slots.values());
  }

  @Override
  public void start(Slot<?> slot, Runnable work) {
    start(
        Thread.ofPlatform().daemon().name("ib-slot-" + instance(slot.pid())),
        () -> {
          turns.await(slot.pid());
          work.run();
        });
  }

  @Override
  public Runnable later(Slot<?> slot, int seconds, Runnable action) {
    CountDownLatch early = new CountDownLatch(1);
    start(
        Thread.ofVirtual().name("ib-slot-" + instance(slot.pid()) + "-again"),
        () -> {
          try {
            if (!early.await(seconds, TimeUnit.SECONDS)) {
              action.run();
            }
          } catch (InterruptedException e) {
            action.run(); // the next try comes early
          }
        });
    return early::countDown;
  }

  /**
   * Starts a thread, which the end of the bundle waits for; after the end, does nothing. Takes no
   * lock: a slot is at this place, and a place never blocks.
   */
  private void start(Thread.Builder kind, Runnable body) {
    threads.removeIf(t -> t.getState() == Thread.State.TERMINATED);
    Thread thread =
        kind.inheritInheritableThreadLocals(false)
            .unstarted(
                () -> {
                  if (!ended) {
                    body.run();
                  }
                });
    threads.add(thread); // before the look at ended, which the end sets before it looks at threads
    try {
      if (!ended) {
        thread.start();
      }
    } finally {
      if (thread.getState() == Thread.State.NEW) {
        threads.remove(thread);
      }
    }
  }

  @Override
  public long announced() {
    return announcements.incrementAndGet();
  }

  @Override
  public void failed(String device, Throwable why) {
    log.error("device " + device + ": " + why.getMessage(), why);
  }

  @Override
  public void settled(Slot<?> slot) {
    turns.over(slot.pid());
    synchronized (this) {
      if (slot.gone()) {
        slots.remove(slot.pid(), slot);
      }
    }
    again();
  }

  /**
   * Accepts a configuration, if it is still in {@code conflicting}. {@return the conflict, if there
   * is one}
   */
  private Optional<IbExistsException> accept(String pid, C config) {
    Optional<IbExistsException> elsewhere = announcer.conflict(pid, config);
    synchronized (this) {
      if (stopped || !config.equals(conflicting.get(pid))) {
        return Optional.empty();
      }
      Optional<IbExistsException> why = elsewhere.isPresent() ? elsewhere : conflict(pid, config);
      if (why.isEmpty()) {
        conflicting.remove(pid);
        slots
            .computeIfAbsent(pid, p -> new Slot<>(p, instance(p), factory, announcer, this))
            .configure(config);
      }
      return why;
    }
  }

  /** {@return the conflict with another slot of this driver, if there is one} */
  @GuardedBy("this")
  private Optional<IbExistsException> conflict(String pid, C config) {
    for (Slot<C> other : slots.values()) {
      for (C claim : other.pid().equals(pid) ? List.<C>of() : other.claims()) {
        if (claim.name().equals(config.name())) {
          return Optional.of(inUse(pid, Settings.NAME, config.name(), other.pid()));
        }
        if (claim.sharesGuidWith(config)) {
          String guid = String.format("%016x", config.guid());
          return Optional.of(inUse(pid, Settings.GUID, guid, other.pid()));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Makes the exception for a name or GUID in use.
   *
   * @param pid PID of the refused configuration
   * @param key the key, name or GUID
   * @param value value of the key
   * @param user the configuration or device that has the value
   * @return the exception
   */
  public static IbExistsException inUse(String pid, String key, String value, String user) {
    return new IbExistsException(
        "configuration " + pid,
        "key " + key + " is '" + value + "', in use by " + user,
        key + ": one that no other device has");
  }

  private static String instance(String pid) {
    return pid.substring(pid.indexOf('~') + 1);
  }

  private synchronized String refusal(String pid, IbException why) {
    Slot<C> slot = slots.get(pid);
    return why.getMessage()
        + (slot == null
            ? "; the device stays absent"
            : "; " + slot.name() + " goes on with its last good configuration");
  }
}
