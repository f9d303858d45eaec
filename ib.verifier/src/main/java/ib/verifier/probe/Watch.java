package ib.verifier.probe;

import org.jspecify.annotations.Nullable;

/**
 * The receiver of the calls that woven code makes. The methods run on the threads of the code that
 * is watched, from any context, and do not throw.
 */
public interface Watch {
  /**
   * The calling thread enters a method that any context may call.
   *
   * @param method class and name
   */
  void enter(String method);

  /** The calling thread leaves the method that it entered last. */
  void exit();

  /**
   * The calling thread is about to make a call that may block.
   *
   * @param call which
   * @param culprit the bundle whose code makes it
   */
  void mightSleep(String call, String culprit);

  /**
   * The calling thread is about to call a method of the midlayer that may sleep.
   *
   * @param call class and name
   * @param culprit the bundle whose code calls
   */
  void mayCallSleeping(String call, String culprit);

  /**
   * The calling thread is about to register or to unregister a device or a client.
   *
   * @param call class and name
   * @param culprit the bundle whose code calls
   */
  void registers(String call, String culprit);

  /**
   * The calling thread is about to call a method of an object that is for one thread at a time.
   *
   * @param object the object
   * @param call class and name
   * @param culprit the bundle whose code calls
   */
  void begin(Object object, String call, String culprit);

  /**
   * The calling thread has returned from the method, or has left it by an exception.
   *
   * @param object the object
   */
  void end(Object object);

  /**
   * The code has made a lock.
   *
   * @param lock the lock, or a pair of locks
   * @param site class, method and line
   */
  void lockMade(Object lock, String site);

  /**
   * The calling thread is about to take a lock, and waits for it if it has to.
   *
   * @param lock the lock or the monitor
   * @param name the field that it is read from, or an empty text
   * @param culprit the bundle whose code does so
   */
  void locking(Object lock, String name, String culprit);

  /**
   * The calling thread has taken a lock.
   *
   * @param lock the lock or the monitor
   * @param name the field that it is read from, or an empty text
   */
  void locked(Object lock, String name);

  /**
   * The calling thread releases a lock.
   *
   * @param lock the lock or the monitor
   */
  void unlocked(Object lock);

  /**
   * The calling thread is about to wait for callbacks.
   *
   * @param types names of types that say which
   * @param culprit the bundle whose code does so
   */
  void fence(String types, String culprit);

  /**
   * The calling thread is about to register a service. That of a device or a client returns when
   * the midlayer has called the bundle.
   *
   * @param service which
   * @param culprit the bundle whose code does so
   */
  void registering(Object service, String culprit);

  /**
   * The calling thread is about to unregister a service. That of a device or a client returns when
   * the bundle's callbacks have.
   *
   * @param objectClass its service property, an array of names
   * @param culprit the bundle whose code does so
   */
  void unregistering(Object objectClass, String culprit);

  /**
   * The midlayer calls a bundle.
   *
   * @param types names of types that say with what
   * @param culprit the bundle
   */
  void callback(String types, String culprit);

  /** The call that {@link #callback} has announced returns. */
  void callbackEnd();

  /**
   * The calling thread begins or ends the {@code add} of a client.
   *
   * @param client the client and the device, or null at the end
   * @param device the device
   */
  void adding(@Nullable Object client, @Nullable Object device);

  /**
   * The {@code remove} of a client is about to return.
   *
   * @param client the client
   * @param device the device
   */
  void removed(Object client, @Nullable Object device);

  /**
   * The code starts a thread, has started one by a builder, or has made an executor or a timer.
   *
   * @param made which
   * @param culprit the bundle whose code did so
   */
  void started(Object made, String culprit);

  /**
   * The code is about to cancel a timer.
   *
   * @param made which
   */
  void ended(Object made);
}
