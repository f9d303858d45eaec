package ib.core.internal.mad;

import ib.core.client.Incidents;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * The real world: virtual threads, and one thread for all alarms that sleeps until the next one is
 * due and ends when there was none for 10 s.
 */
public final class Threads implements World, AutoCloseable {
  private static final long KEEP_S = 10;

  /** The refusals at all ports, and the ends that these threads have outlived. */
  final Incidents incidents =
      new Incidents("management datagrams", LoggerFactory.getLogger(Threads.class)::warn);

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadFactory factory =
      Thread.ofVirtual().name("ib-mad-", 0).inheritInheritableThreadLocals(false).factory();

  /** Starts no thread yet. */
  public Threads() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            body ->
                Thread.ofPlatform()
                    .name("ib-mad-timer")
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .unstarted(body));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(KEEP_S, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  @Override
  public Alarm after(long delayNs, Runnable what) {
    Future<?> due = timer.schedule(() -> incidents.outlive(what), delayNs, TimeUnit.NANOSECONDS);
    return () -> due.cancel(false);
  }

  @Override
  public void execute(Runnable what) {
    if (!incidents.outlive(() -> factory.newThread(() -> incidents.outlive(what)).start())) {
      after(0, what); // no memory for a thread: what is given up here would never run
    }
  }

  /** Forgets all alarms; after all devices are gone. */
  @Override
  @MaySleep
  @Fence
  public void close() {
    timer.shutdownNow();
  }
}
