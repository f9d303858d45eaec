package ib.driver.base;

import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All configured instances of one driver bundle. A configuration that is wrong, or whose name or
 * GUID is in use, changes nothing: what ran goes on with the last good one. One that was in
 * conflict is tried again when a name becomes free, so a file may be renamed. Only two that swap
 * their names refuse each other for good; one has to be deleted first.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Devices<C extends DeviceConfig<C>> implements Slot.Observer {

  private static final long JOIN_MS = 10_000;
  private static final long TURN_NS = 10_000_000_000L;

  /** Where the driver reports. */
  @FunctionalInterface
  public interface Log {
    /**
     * Something was refused or failed.
     *
     * @param text all that is to be said
     * @param why the cause
     */
    void error(String text, Throwable why);
  }

  /**
   * Makes configurations of raw values.
   *
   * @param <C> the driver's own kind
   */
  @FunctionalInterface
  public interface Reader<C> {
    /**
     * Reads a configuration.
     *
     * @param instance its name
     * @param values the values
     * @return the configuration
     * @throws IbInvalidException that names each key that is wrong
     */
    C read(String instance, Map<String, ?> values);
  }

  private final Reader<C> reader;
  private final Plugged.Factory<C> factory;
  private final Announcer<C> announcer;
  private final Log log;
  private final AtomicLong announcements = new AtomicLong();

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Turns turns = new Turns(TURN_NS);

  // under this; a slot's lock may be taken inside, never the other way round
  private final Map<String, Slot<C>> slots = new LinkedHashMap<>();
  private final Map<String, C> conflicting = new HashMap<>();
  private boolean stopped;

  /**
   * No devices yet.
   *
   * @param reader makes configurations
   * @param factory makes devices
   * @param announcer makes them known
   * @param log where failures are reported
   */
  public Devices(Reader<C> reader, Plugged.Factory<C> factory, Announcer<C> announcer, Log log) {
    this.reader = reader;
    this.factory = factory;
    this.announcer = announcer;
    this.log = log;
  }

  /**
   * Before the first configuration comes: these will come. Their devices are plugged in in the
   * order of the PIDs, so that a runtime has the same order at each start.
   *
   * @param pids their PIDs
   */
  public void expect(Collection<String> pids) {
    turns.expect(pids);
  }

  /**
   * A configuration is new or has changed. Does not wait for the device.
   *
   * @param pid its PID
   * @param values its values
   */
  public void configure(String pid, Map<String, ?> values) {
    synchronized (this) {
      if (stopped) {
        return; // the bundle's classes may be gone already, so none is asked for
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
   * A configuration was deleted. Does not wait for the device.
   *
   * @param pid its PID
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

  /** What is around the devices has changed: those that are outdated are built anew. */
  public void review() {
    slots().forEach(Slot::review);
  }

  /**
   * Takes all devices down, the one announced last first (CC-22), and waits until each is gone.
   * Further configurations are ignored.
   */
  public void stop() {
    List<Slot<C>> all;
    synchronized (this) {
      stopped = true;
      conflicting.clear();
      all = new ArrayList<>(slots.values());
    }
    all.forEach(Slot::close);
    turns.end(); // only now: one whose turn came with it would still be plugged in
    all.forEach(Slot::quiesce); // what is just being announced, has its place in the order then
    all.sort(Comparator.comparingLong((Slot<C> s) -> s.order()).reversed());
    all.forEach(Slot::end);
    joinThreads();
  }

  /** They have nothing more to do; none may outlive the bundle (F35). */
  private void joinThreads() {
    try {
      for (Thread thread : threads) {
        if (!thread.equals(Thread.currentThread())) {
          thread.join(JOIN_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** {@return the slots, in the order of their configuration} */
  public synchronized List<Slot<C>> slots() {
    return List.copyOf(slots.values());
  }

  @Override
  public Thread start(Slot<?> slot, Runnable work) {
    threads.removeIf(t -> !t.isAlive());
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("ib-slot-" + instance(slot.pid()))
            .inheritInheritableThreadLocals(false)
            .start(
                () -> {
                  turns.await(slot.pid());
                  work.run();
                });
    threads.add(thread);
    return thread;
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
    Map<String, C> again;
    synchronized (this) {
      if (slot.gone()) {
        slots.remove(slot.pid(), slot);
      }
      again = new TreeMap<>(conflicting);
    }
    again.forEach(this::accept); // a conflict that goes on was reported when it came
  }

  /**
   * {@return who is in the way; the configuration is no longer wanted when it is not in
   * conflicting}
   */
  private Optional<IbExistsException> accept(String pid, C config) {
    Optional<IbExistsException> elsewhere = announcer.conflict(pid, config);
    synchronized (this) {
      if (stopped || !config.equals(conflicting.get(pid))) {
        return Optional.empty();
      }
      Optional<IbExistsException> why = elsewhere.or(() -> conflict(pid, config));
      if (why.isEmpty()) {
        conflicting.remove(pid);
        slots
            .computeIfAbsent(pid, p -> new Slot<>(p, instance(p), factory, announcer, this))
            .configure(config);
      }
      return why;
    }
  }

  /** {@return the claim of another of this driver's slots, if there is one}; under the lock */
  private Optional<IbExistsException> conflict(String pid, C config) {
    for (Slot<C> other : slots.values()) {
      for (C claim : other.pid().equals(pid) ? Set.<C>of() : other.claims()) {
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
   * How both kinds of conflict read.
   *
   * @param pid whose configuration is refused
   * @param key which key
   * @param value its value
   * @param user who has it
   * @return the refusal
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
