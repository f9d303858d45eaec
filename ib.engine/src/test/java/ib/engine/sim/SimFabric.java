package ib.engine.sim;

import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;

/** A switch: a packet reaches the port of its DLID in the same call, and is noted in the trace. */
final class SimFabric implements Wire {
  private final List<WirePort> ports = new ArrayList<>();
  private final Trace trace;
  private final NanoClock clock;
  private final boolean segments;

  SimFabric(Trace trace, NanoClock clock, boolean segments) {
    this.trace = trace;
    this.clock = clock;
    this.segments = segments;
  }

  /** Connects a port; its LID is its place, from 1. */
  void connect(WirePort port) {
    ports.add(port);
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    trace.packet(packet, clock.nanoTime());
    int i = packet.dlid - 1;
    if (i < 0 || i >= ports.size()) {
      packet.release(run);
    } else {
      ports.get(i).receive(packet, run);
    }
  }

  @Override
  public boolean segments() {
    return segments;
  }
}
