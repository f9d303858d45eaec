package ib.engine.capture;

import ib.core.verbs.Gid;
import ib.engine.wire.Packet;
import ib.engine.wire.PortAround;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WireAround;
import ib.engine.wire.WirePort;
import org.jspecify.annotations.Nullable;

/**
 * A wire around another wire, whose packets can be captured. This wire is next to the engine: it
 * sees sent packets before faults are injected, and received packets afterwards. The verdict on a
 * sent packet is known when the call of the inner wire returns, that on a received packet when it
 * is released.
 */
public final class CapturingWire extends WireAround {
  private final Capture capture;
  private final int port;
  private volatile @Nullable WirePort device; // set before the first packet

  /**
   * Wraps a wire.
   *
   * @param inner the medium
   * @param capture capture of the device
   * @param port number of the port
   */
  public CapturingWire(Wire inner, Capture capture, int port) {
    super(inner);
    this.capture = capture;
    this.port = port;
    capture.counts(epoch());
  }

  /**
   * Wraps the port that the medium delivers packets to.
   *
   * @param receiver the device's port
   * @return the port for the medium
   */
  public WirePort receiver(WirePort receiver) {
    device = receiver;
    return new Receiver(receiver);
  }

  private final class Receiver extends PortAround {
    Receiver(WirePort port) {
      super(port);
    }

    @Override
    public void receive(Packet packet, RunContext run) {
      packet.observe(null, 0); // ends the observation by the sender's capture
      CaptureRing ring = capture.ring();
      if (ring != null) {
        copy(ring, packet, true);
      }
      port.receive(packet, run);
    }

    @Override
    public @Nullable WirePort direct() {
      return capture.ring() == null ? port.direct() : null;
    }
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    CaptureRing ring = capture.ring();
    if (ring == null) {
      inner.transmit(packet, run);
      return;
    }
    long index = copy(ring, packet, false);
    inner.transmit(packet, run);
    if (index >= 0) {
      ring.slot(index).finish(index);
    }
  }

  @Override
  public @Nullable WirePort direct(Route route, Gid source, int bytes) {
    return capture.ring() == null ? inner.direct(route, source, bytes) : null;
  }

  /** Copies a packet. {@return the index of the slot; -1 when the packet was not copied} */
  private long copy(CaptureRing ring, Packet packet, boolean incoming) {
    if (!CapturedPacket.wanted(ring.filter, packet, port)) {
      return -1;
    }
    long index = ring.claim();
    if (index < 0) {
      leftOut();
      return -1;
    }
    CapturedPacket slot = ring.slot(index);
    if (!slot.fill(index, packet, port, incoming, capture.ethernet(), capture.now())) {
      ring.abandon(index);
      leftOut();
      return -1;
    }
    packet.observe(slot, index);
    return index;
  }

  private void leftOut() {
    WirePort counting = device;
    if (counting != null) {
      counting.captureDropped();
    }
  }

  /** {@return true while a session runs, or if the medium segments (D5)} */
  @Override
  public boolean segments() {
    @Nullable CaptureRing ring = capture.ring();
    return ring != null || inner.segments();
  }
}
