package ib.engine.sim;

import ib.core.verbs.Gid;
import ib.engine.time.NanoClock;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A switch: a packet reaches the port of its DLID in the same call, and is noted in the trace. */
final class SimFabric {
  private static final int ACKNOWLEDGE = 0x11;
  private static final int GHOSTS_ONE_IN = 32;

  private final List<Plug> plugs = new ArrayList<>();
  private final Epoch epoch = new Epoch();
  private final Trace trace;
  private final NanoClock clock;
  private final boolean segments;
  private final boolean directs;
  private final SplittableRandom random;

  /** Where a node is plugged in. */
  final class Plug implements Wire {
    private WirePort port;
    private boolean member;

    @Override
    public void transmit(Packet packet, RunContext run) {
      if (!packet.busy()) {
        throw new SimFailure("a packet is sent that was released: " + packet.psn);
      }
      trace.packet(packet, clock.nanoTime());
      int i = packet.dlid - 1;
      if (packet.isMulticast()) {
        multicast(packet, run);
      } else if (i < 0 || i >= plugs.size()) {
        packet.release(run);
      } else {
        if (packet.opcode == ACKNOWLEDGE && random.nextInt(GHOSTS_ONE_IN) == 0) {
          ghost(packet, plugs.get(i).port, run);
        }
        plugs.get(i).port.receive(packet, run);
      }
    }

    /** The sender's own members have it already. */
    private void multicast(Packet packet, RunContext run) {
      for (Plug p : plugs) {
        Packet copy = p.member && !p.equals(this) ? packet.replicate() : null;
        if (copy != null) {
          p.port.receive(copy, run);
        }
      }
      packet.release(run);
    }

    @Override
    public boolean segments() {
      return segments;
    }

    /** A port of this fabric needs no packet, while no fault or checker has to see packets. */
    @Override
    public WirePort direct(Route route, Gid source, int bytes) {
      int i = route.dlid() - 1;
      return directs && i >= 0 && i < plugs.size() ? plugs.get(i).port.direct() : null;
    }

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public void join(Gid group, int mlid) {
      member = true;
    }

    @Override
    public void leave(Gid group, int mlid) {
      member = false;
    }

    /** Its port from now on; its LID is its place, from 1. */
    void connect(WirePort to) {
      port = to;
    }
  }

  SimFabric(
      Trace trace, NanoClock clock, boolean segments, boolean directs, SplittableRandom random) {
    this.random = random;
    this.trace = trace;
    this.clock = clock;
    this.segments = segments;
    this.directs = directs;
  }

  Plug plug() {
    Plug p = new Plug();
    plugs.add(p);
    return p;
  }

  /** {@return whether no port is a member of a group any more} */
  boolean isQuiet() {
    return plugs.stream().noneMatch(p -> p.member);
  }

  /** Sends an acknowledgement of a packet that was never sent; every node must ignore it (F7). */
  private void ghost(Packet packet, WirePort to, RunContext run) {
    Packet ghost = packet.replicate();
    if (ghost != null) {
      ghost.psn = (packet.psn + random.nextInt(1 << 20, 1 << 22)) & 0xffffff;
      to.receive(ghost, run);
    }
  }
}
