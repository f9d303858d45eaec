package ib.engine.sim;

import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A switch: a packet reaches the port of its DLID in the same call, and is noted in the trace. */
final class SimFabric implements Wire {
  private static final int ACKNOWLEDGE = 0x11;
  private static final int GHOSTS_ONE_IN = 32;

  private final List<WirePort> ports = new ArrayList<>();
  private final Trace trace;
  private final NanoClock clock;
  private final boolean segments;
  private final SplittableRandom random;

  SimFabric(Trace trace, NanoClock clock, boolean segments, SplittableRandom random) {
    this.random = random;
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
      if (packet.opcode == ACKNOWLEDGE && random.nextInt(GHOSTS_ONE_IN) == 0) {
        ghost(packet, ports.get(i), run);
      }
      ports.get(i).receive(packet, run);
    }
  }

  /** An acknowledgement of what was never sent: everybody must be deaf to it (F7). */
  private void ghost(Packet packet, WirePort to, RunContext run) {
    Packet ghost = packet.replicate();
    if (ghost != null) {
      ghost.psn = (packet.psn + random.nextInt(1 << 20, 1 << 22)) & 0xffffff;
      to.receive(ghost, run);
    }
  }

  @Override
  public boolean segments() {
    return segments;
  }
}
