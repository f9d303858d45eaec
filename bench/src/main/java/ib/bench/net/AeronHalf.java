package ib.bench.net;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Aeron over UDP, with an embedded driver that has no thread: whoever sends or polls drives it, so
 * that two cores are enough and nobody waits for a thread that does not run.
 */
final class AeronHalf implements Half {
  private static final int MAX_POLL = 64;
  private static final long IDLE_NS = TimeUnit.MINUTES.toNanos(10);

  private final Spec spec;
  private final boolean serves;
  private final MediaDriver driver;
  private final Aeron aeron;
  private final AgentInvoker driverWork;
  private final @Nullable AgentInvoker clientWork;
  private final UnsafeBuffer message;
  private final Subscription in;
  private final ExclusivePublication out;
  private long got;

  AeronHalf(Spec spec, boolean serves) {
    this.spec = spec;
    this.serves = serves;
    this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(spec.bytes()));
    int mtu = spec.packet() > 1408 ? 8192 : 1408;
    driver =
        MediaDriver.launchEmbedded(
            new MediaDriver.Context()
                .threadingMode(ThreadingMode.INVOKER)
                .mtuLength(mtu)
                .ipcMtuLength(mtu)
                .socketRcvbufLength(2 << 20)
                .socketSndbufLength(2 << 20)
                .initialWindowLength(1 << 20)
                .clientLivenessTimeoutNs(IDLE_NS) // it stands still while others are measured
                .imageLivenessTimeoutNs(IDLE_NS)
                .publicationConnectionTimeoutNs(IDLE_NS)
                .publicationUnblockTimeoutNs(2 * IDLE_NS)
                .publicationTermBufferLength(16 << 20)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true));
    driverWork = driver.sharedAgentInvoker();
    aeron =
        Aeron.connect(
            new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driverWork)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(IDLE_NS))
                .keepAliveIntervalNs(TimeUnit.SECONDS.toNanos(1)));
    clientWork = aeron.conductorAgentInvoker();
    String there = serves ? spec.client() : spec.server();
    String here = serves ? spec.server() : spec.client();
    in = aeron.addSubscription("aeron:udp?endpoint=" + here + ":" + port(serves), 1);
    out = aeron.addExclusivePublication("aeron:udp?endpoint=" + there + ":" + port(!serves), 1);
  }

  private int port(boolean server) {
    return spec.port() + (server ? 0 : 1);
  }

  private void work() {
    driverWork.invoke();
    if (clientWork != null) {
      clientWork.invoke();
    }
  }

  @Override
  public void serve(BooleanSupplier stop) {
    boolean stream = spec.pattern() == Spec.Pattern.STREAM;
    FragmentHandler handler =
        (buffer, offset, length, header) -> {
          got += length;
          while (!stream && out.offer(message, 0, spec.bytes()) < 0 && !stop.getAsBoolean()) {
            work();
          }
        };
    while (!stop.getAsBoolean()) {
      work();
      in.poll(handler, MAX_POLL);
    }
  }

  @Override
  public long drive(long untilNs) {
    long n = 0;
    FragmentHandler handler = (buffer, offset, length, header) -> got++;
    boolean stream = spec.pattern() == Spec.Pattern.STREAM;
    while (System.nanoTime() < untilNs) {
      if (out.offer(message, 0, spec.bytes()) < 0) {
        work();
        continue;
      }
      n++;
      work();
      long before = got;
      while (!stream && got == before && System.nanoTime() < untilNs) {
        work();
        in.poll(handler, 1);
      }
    }
    return stream ? n * spec.bytes() / spec.packet() : n;
  }

  @Override
  public void close() {
    aeron.close();
    driver.close();
  }

  @Override
  public String toString() {
    return "aeron " + (serves ? "server" : "client");
  }
}
