package ib.engine.capture;

import ib.core.spi.PacketCapture.Session;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One capture session: a thread that writes the ring to a sink. Any thread may call the methods of
 * {@link Session}.
 */
final class CaptureSession implements Session, Runnable {
  private static final long IDLE_NS = 500_000;
  private static final long VERDICT_NS = 200_000_000; // how long a packet waits for its verdict
  private static final long CLOSE_MS = 2_000;

  private final Capture capture;
  final CaptureRing ring;
  private final WritableByteChannel sink;
  private final Pcapng out;
  private final Verdict verdict = new Verdict();
  private final WireHeaders headers = new WireHeaders();
  private final long epochOffsetNs;
  private final Thread thread;
  private final AtomicLong written = new AtomicLong();
  private volatile boolean stopping;
  private volatile boolean ended;
  private volatile @Nullable String failure;
  private long head;

  CaptureSession(Capture capture, CaptureRing ring, WritableByteChannel sink, long epochOffsetNs) {
    this.capture = capture;
    this.ring = ring;
    this.sink = sink;
    this.out = new Pcapng(sink);
    this.epochOffsetNs = epochOffsetNs;
    this.thread =
        Thread.ofPlatform().name("ib-" + capture.device() + "-capture").daemon().unstarted(this);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    try (sink) {
      out.section();
      for (int port = 1; port <= capture.ports; port++) {
        out.linkInterface(capture.device() + "/" + port, capture.linkType());
      }
      out.flush();
      while (!stopping) {
        if (!drain()) {
          LockSupport.parkNanos(this, IDLE_NS);
        }
      }
      drain();
      long now = capture.now() + epochOffsetNs;
      for (int port = 1; port <= capture.ports; port++) {
        out.statistics(port - 1, now, written.get(), ring.dropped());
      }
      out.flush();
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage() == null ? e : e.getMessage());
    } catch (RuntimeException
        | Error e) { // a defect, or no memory: this session fails, the device works on
      failure = e.toString();
    } finally {
      ended = true;
      capture.ended(this);
    }
  }

  /** Writes the packets in the ring. {@return whether there were any} */
  private boolean drain() throws IOException {
    long from = head;
    while (head < ring.tail()) {
      CapturedPacket s = await();
      if (s == null) {
        break;
      }
      if (s.length > 0) {
        write(s);
      }
      ring.free(head++);
      if (out.full()) {
        out.flush();
      }
    }
    if (head > from) {
      out.flush();
    }
    return head > from;
  }

  /**
   * {@return the next slot if it is ready, else null} A slot whose packet is not finished in time
   * is written without a verdict.
   */
  private @Nullable CapturedPacket await() {
    CapturedPacket s = ring.ready(head);
    CapturedPacket unfinished = ring.slot(head);
    if (s != null || !unfinished.filled(head)) {
      return s;
    }
    if (stopping || capture.now() - unfinished.timeNs > VERDICT_NS) {
      unfinished.finish(head);
    }
    return ring.ready(head);
  }

  private void write(CapturedPacket s) {
    boolean erf = capture.linkType() == Pcapng.LINKTYPE_ERF;
    long time = s.timeNs + epochOffsetNs;
    if (!erf) {
      headers.complete(s);
    }
    out.packet(s, erf, time, verdict.of(s));
    written.incrementAndGet();
  }

  @Override
  public long written() {
    return written.get();
  }

  @Override
  public long dropped() {
    return ring.dropped();
  }

  @Override
  public boolean running() {
    return !ended;
  }

  @Override
  public Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Ends the session and waits for the writer, at most 4 s. A sink that does not accept data in
   * time is closed, which ends the writer.
   */
  @Override
  public void close() {
    capture.detach(this);
    stopping = true;
    LockSupport.unpark(thread);
    boolean interrupted = joined();
    if (!ended) {
      try {
        sink.close();
      } catch (IOException e) {
        failure = String.valueOf(e.getMessage());
      }
      interrupted |= joined();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the writer, at most 2 s. {@return whether the caller was interrupted} */
  private boolean joined() {
    try {
      thread.join(CLOSE_MS);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
