package ib.engine.capture;

import ib.core.spi.PacketCapture;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.engine.time.NanoClock;
import ib.engine.wire.Epoch;
import java.nio.channels.WritableByteChannel;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The packet capture of one device, at most one session at a time. The wires read the ring for
 * every packet, which costs one volatile read while no session runs. Any thread may call.
 */
public final class Capture implements PacketCapture, AutoCloseable {
  private static final int RING_PACKETS = 2048;
  private static final long SECOND = 1_000_000_000;

  private final String device;
  final int ports;
  private final LinkLayer link;
  private final NanoClock clock;
  private final Consumer<Boolean> watching;
  private volatile @Nullable CaptureRing ring;
  private final Set<Epoch> epochs = new LinkedHashSet<>(); // of the media; guarded by this
  private volatile @Nullable CaptureSession session;
  private boolean closed; // guarded by this

  /**
   * Creates the capture of a device, without a session.
   *
   * @param device device name
   * @param ports number of ports
   * @param link link layer of the ports
   * @param clock clock of the device
   * @param watching called with true when a session begins and false when it ends: meanwhile a
   *     medium in this JVM must deliver real packets, too (D5)
   */
  public Capture(
      String device, int ports, LinkLayer link, NanoClock clock, Consumer<Boolean> watching) {
    this.watching = watching;
    this.device = device;
    this.ports = ports;
    this.link = link;
    this.clock = clock;
  }

  @Override
  public String device() {
    return device;
  }

  int linkType() {
    return link == LinkLayer.ETHERNET ? Pcapng.LINKTYPE_ETHERNET : Pcapng.LINKTYPE_ERF;
  }

  boolean ethernet() {
    return link == LinkLayer.ETHERNET;
  }

  long now() {
    return clock.nanoTime();
  }

  /** Adds a medium whose ways a session closes while it runs. */
  synchronized void counts(Epoch epoch) {
    epochs.add(epoch);
  }

  /** {@return the ring that packets are copied to; null without a session} */
  @Nullable CaptureRing ring() {
    return ring;
  }

  @Override
  public synchronized Session start(WritableByteChannel sink, Filter filter) {
    if (closed) {
      throw new IbInvalidException("capture " + device, "the device was removed", "plug it in");
    }
    if (filter.port() < 0 || filter.port() > ports) {
      throw new IbInvalidException(
          "capture " + device, "no port " + filter.port(), "1 to " + ports + ", or 0 for all");
    }
    if (session != null) {
      throw new IbExistsException("capture " + device, "one is running", "stop it first");
    }
    Instant wall = Instant.now();
    long offset = wall.getEpochSecond() * SECOND + wall.getNano() - clock.nanoTime();
    CaptureRing fresh = new CaptureRing(filter, RING_PACKETS);
    CaptureSession started = new CaptureSession(this, fresh, sink, offset);
    session = started;
    watching.accept(true);
    ring = fresh;
    epochs.forEach(Epoch::changed);
    started.start();
    return started;
  }

  @Override
  public Optional<Session> running() {
    return Optional.ofNullable(session);
  }

  /** Stops copying packets to the ring of a session. */
  synchronized void detach(CaptureSession which) {
    if (which.equals(session) && ring != null) {
      ring = null;
      watching.accept(false);
      epochs.forEach(Epoch::changed);
    }
  }

  /** Called by a session's writer thread when it ends. */
  synchronized void ended(CaptureSession which) {
    detach(which);
    if (which.equals(session)) {
      session = null;
    }
  }

  /** Closes a running session and refuses new ones, because the device is being removed. */
  @Override
  public void close() {
    CaptureSession running;
    synchronized (this) {
      closed = true;
      running = session;
    }
    if (running != null) {
      running.close();
    }
  }
}
