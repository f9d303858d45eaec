package ib.bench;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/**
 * Aeron's own shared memory medium, with an embedded driver that has no thread: the benchmark's
 * thread drives it, also while a client call waits for it, so that two cores are enough and nobody
 * waits for a thread that does not run. Everything but {@link Subscription#poll} and {@link
 * ExclusivePublication#offer} belongs to the thread that made it.
 */
final class AeronIpc implements AutoCloseable {
  private static final String CHANNEL = "aeron:ipc?term-length=16m";

  private final MediaDriver driver;
  private final Aeron aeron;
  private final AgentInvoker driverWork;
  private final @Nullable AgentInvoker clientWork;

  AeronIpc() {
    driver =
        MediaDriver.launchEmbedded(
            new MediaDriver.Context()
                .threadingMode(ThreadingMode.INVOKER)
                .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(60)) // the machine may be busy
                .publicationUnblockTimeoutNs(TimeUnit.SECONDS.toNanos(90))
                .ipcMtuLength(8192) // 4 KiB is one fragment
                .ipcPublicationTermWindowLength(4 << 20)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true));
    driverWork = driver.sharedAgentInvoker();
    aeron =
        Aeron.connect(
            new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driverWork)
                .keepAliveIntervalNs(TimeUnit.SECONDS.toNanos(1)));
    clientWork = aeron.conductorAgentInvoker();
  }

  /** Lets driver and client do what their threads would. */
  void work() {
    driverWork.invoke();
    if (clientWork != null) {
      clientWork.invoke();
    }
  }

  Subscription subscribe(int stream) {
    return aeron.addSubscription(CHANNEL, stream);
  }

  /** A publication that somebody listens to. */
  ExclusivePublication publish(int stream) {
    ExclusivePublication p = aeron.addExclusivePublication(CHANNEL, stream);
    Patience patience = new Patience("Aeron publication " + stream);
    while (!p.isConnected()) {
      work();
      patience.spin();
    }
    return p;
  }

  @Override
  public void close() {
    aeron.close();
    driver.close();
  }
}
