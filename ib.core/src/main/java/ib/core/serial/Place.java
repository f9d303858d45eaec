package ib.core.serial;

import ib.core.verbs.AnyContext;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/** Where the runs of serials happen: a thread, or a source of threads. */
@FunctionalInterface
public interface Place {
  /**
   * Takes a claimed serial and calls {@link Serial#arrived} of the serial once, later or on another
   * thread. Never blocks. When this method throws, the place has not taken the serial.
   *
   * @param serial a claimed serial, which is at no other place
   */
  @AnyContext
  void submit(Serial serial);

  /**
   * Makes a place that starts a virtual thread for each burst of runs.
   *
   * @param name the prefix of the threads' names
   * @return the place
   */
  static Place virtual(String name) {
    ThreadFactory threads =
        Thread.ofVirtual().name(name, 0).inheritInheritableThreadLocals(false).factory();
    return serial -> {
      Thread thread = threads.newThread(serial::arrived);
      // the thread must not keep the class loader of the thread that wakes the serial up
      thread.setContextClassLoader(Place.class.getClassLoader());
      thread.start();
    };
  }

  /**
   * Makes a place that hands each run to an executor.
   *
   * @param executor runs its tasks later or on another thread
   * @return the place
   */
  static Place of(Executor executor) {
    return serial -> executor.execute(serial::arrived);
  }
}
