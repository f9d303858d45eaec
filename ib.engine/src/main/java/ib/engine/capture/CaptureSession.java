package ib.engine.capture;

import ib.core.spi.PacketCapture.Session;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One capture: the thread that writes a ring to a sink, and its end. */
final class CaptureSession implements Session, Runnable {
  private static final long IDLE_NS = 500_000;
  private static final long VERDICT_NS = 200_000_000; // how long a packet may wait for its verdict
  private static final long CLOSE_MS = 2_000;

  private final Capture capture;
  private final CaptureRing ring;
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

  CaptureRing ring() {
    return ring;
  }

  @Override
  public void run() {
    try (sink) {
      out.section();
      for (int port = 1; port <= capture.ports(); port++) {
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
      for (int port = 1; port <= capture.ports(); port++) {
        out.statistics(port - 1, now, written.get(), ring.dropped());
      }
      out.flush();
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage() == null ? e : e.getMessage());
    } catch (RuntimeException | Error e) { // a defect, or no memory: nobody else captures by it
      failure = e.toString();
    } finally {
      ended = true;
      capture.ended(this);
    }
  }

  /** Writes what there is; false when there was nothing. */
  private boolean drain() throws IOException {
    long from = head;
    while (head < ring.tail()) {
      Slot s = await();
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

  /** The next slot; one whose packet is not finished for long is written without a verdict. */
  private @Nullable Slot await() {
    Slot s = ring.ready(head);
    Slot unfinished = ring.slot(head);
    if (s != null || !unfinished.filled(head)) {
      return s;
    }
    if (stopping || capture.now() - unfinished.timeNs > VERDICT_NS) {
      unfinished.finish(head);
    }
    return ring.ready(head);
  }

  private void write(Slot s) {
    boolean erf = capture.linkType() == Pcapng.LINKTYPE_ERF;
    long time = s.timeNs + epochOffsetNs;
    if (!erf) {
      headers.complete(s);
    }
    out.packet(s.port - 1, erf, time, s.incoming, s.bytes, s.length, verdict.of(s));
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

  /** A sink that takes nothing more is closed, which ends the writer. */
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

  /** Waits a while for the writer; returns whether the caller was interrupted. */
  private boolean joined() {
    try {
      thread.join(CLOSE_MS);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
