package ib.core.internal.jmx;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a midlayer on which it speaks with JMX and Flight Recorder. Both take seconds
 * to start on a busy machine and may be broken; a device that comes or goes never waits for them
 * (A10). It lives while there is something to do, and one task follows the other, so a device that
 * has gone is taken back after it was shown.
 */
public final class StatisticsThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private static final int IDLE_S = 1;
  private static final int CLOSE_S = 5;

  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_S,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("ib-statistics").factory(),
          (task, closed) -> LOG.warn("statistics of a device were asked for after the core's end"));

  /** Starts nothing yet. */
  public StatisticsThread() {
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Does something later; what it throws is logged.
   *
   * @param what for the log
   * @param task what
   */
  @AnyContext
  void later(String what, Runnable task) {
    executor.execute(
        () -> {
          try {
            task.run();
          } catch (Throwable e) { // of the JVM's agents, too
            LOG.warn("{} failed, the device does without", what, e);
          }
        });
  }

  /** Does what is left, for a few seconds at the most, and ends the thread. */
  @Override
  @MaySleep
  @Fence
  public void close() {
    executor.shutdown();
    boolean interrupted = false;
    boolean ended = false;
    try {
      ended = executor.awaitTermination(CLOSE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (!ended) {
      LOG.warn("JMX or Flight Recorder do not return: beans of devices may be left behind");
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
