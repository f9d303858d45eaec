package ib.core.serial;

import ib.core.verbs.AnyContext;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/** Where the runs of serials happen: a thread, or a source of threads. */
@FunctionalInterface
public interface Place {
  /**
   * Takes a claimed serial and calls its {@link Serial#arrived} once, later or on another thread.
   * Never blocks. When it throws, it has not taken the serial.
   *
   * @param serial a claimed serial, which no other place has
   */
  @AnyContext
  void submit(Serial serial);

  /**
   * A place that starts a virtual thread for each burst of runs.
   *
   * @param name begins the names of the threads
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
   * A place that hands each run to an executor.
   *
   * @param executor runs what it is given on another thread, or later
   * @return the place
   */
  static Place of(Executor executor) {
    return serial -> executor.execute(serial::arrived);
  }
}
