package ib.verifier.probe;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The methods that woven code calls. They are static, because woven code knows nothing but its own
 * classes; each does nothing while no {@link Watch} is set.
 */
public final class Probe {
  private static final AtomicReference<@Nullable Watch> WATCH = new AtomicReference<>();

  private Probe() {}

  /**
   * Sets what learns of the calls, for the bundle's activator.
   *
   * @param watch the watch, or null for none
   */
  public static void watch(@Nullable Watch watch) {
    WATCH.set(watch);
  }

  /**
   * See {@link Watch#enter}.
   *
   * @param method class and name
   */
  public static void enter(String method) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.enter(method);
    }
  }

  /** See {@link Watch#exit}. */
  public static void exit() {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.exit();
    }
  }

  /**
   * See {@link Watch#mightSleep}.
   *
   * @param call which call
   * @param culprit the bundle whose code makes it
   */
  public static void mightSleep(String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.mightSleep(call, culprit);
    }
  }

  /**
   * See {@link Watch#mayCallSleeping}.
   *
   * @param call which call
   * @param culprit the bundle whose code makes it
   */
  public static void mayCallSleeping(String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.mayCallSleeping(call, culprit);
    }
  }

  /**
   * See {@link Watch#registers}.
   *
   * @param call which call
   * @param culprit the bundle whose code makes it
   */
  public static void registers(String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.registers(call, culprit);
    }
  }

  /**
   * See {@link Watch#begin}.
   *
   * @param object the object
   * @param call which call
   * @param culprit the bundle whose code makes it
   */
  public static void begin(Object object, String call, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.begin(object, call, culprit);
    }
  }

  /**
   * See {@link Watch#end}.
   *
   * @param object the object
   */
  public static void end(Object object) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.end(object);
    }
  }

  /**
   * See {@link Watch#lockMade}.
   *
   * @param lock the lock, or a pair of locks
   * @param site class, method and line
   */
  public static void lockMade(Object lock, String site) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.lockMade(lock, site);
    }
  }

  /**
   * See {@link Watch#locking}.
   *
   * @param lock the lock or the monitor
   * @param name the field that it is read from, or an empty text
   * @param culprit the bundle whose code makes it
   */
  public static void locking(Object lock, String name, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.locking(lock, name, culprit);
    }
  }

  /**
   * See {@link Watch#locked}.
   *
   * @param lock the lock or the monitor
   * @param name the field that it is read from, or an empty text
   */
  public static void locked(Object lock, String name) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.locked(lock, name);
    }
  }

  /**
   * See {@link Watch#unlocked}.
   *
   * @param lock the lock or the monitor
   */
  public static void unlocked(Object lock) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.unlocked(lock);
    }
  }

  /**
   * See {@link Watch#fence}.
   *
   * @param types names of types
   * @param culprit the bundle whose code makes it
   */
  public static void fence(String types, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.fence(types, culprit);
    }
  }

  /**
   * See {@link Watch#registering}.
   *
   * @param service the service
   * @param culprit the bundle whose code makes it
   */
  public static void registering(Object service, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.registering(service, culprit);
    }
  }

  /**
   * See {@link Watch#unregistering}.
   *
   * @param objectClass the service property
   * @param culprit the bundle whose code makes it
   */
  public static void unregistering(Object objectClass, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.unregistering(objectClass, culprit);
    }
  }

  /**
   * See {@link Watch#callback}.
   *
   * @param types names of types
   * @param culprit the bundle whose code makes it
   */
  public static void callback(String types, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.callback(types, culprit);
    }
  }

  /** See {@link Watch#callbackEnd}. */
  public static void callbackEnd() {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.callbackEnd();
    }
  }

  /**
   * See {@link Watch#adding}.
   *
   * @param client the client
   * @param device the device
   */
  public static void adding(@Nullable Object client, @Nullable Object device) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.adding(client, device);
    }
  }

  /**
   * See {@link Watch#removed}.
   *
   * @param client the client
   * @param device the device
   */
  public static void removed(Object client, @Nullable Object device) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.removed(client, device);
    }
  }

  /**
   * See {@link Watch#started}.
   *
   * @param made the thread, executor or timer
   * @param culprit the bundle whose code makes it
   */
  public static void started(Object made, String culprit) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.started(made, culprit);
    }
  }

  /**
   * See {@link Watch#ended}.
   *
   * @param made the timer
   */
  public static void ended(Object made) {
    Watch watch = WATCH.get();
    if (watch != null) {
      watch.ended(made);
    }
  }

  /**
   * The calling thread has tried to take a lock.
   *
   * @param taken whether it has it now
   * @param lock the lock
   * @param name the field that it is read from, or an empty text
   */
  public static void tried(boolean taken, Object lock, String name) {
    if (taken) {
      locked(lock, name);
    }
  }
}
