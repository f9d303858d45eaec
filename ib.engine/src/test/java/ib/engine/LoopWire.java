package ib.engine;

import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A wire that delivers at once, by LID; it can be told to lose packets. */
final class LoopWire {
  private final List<WirePort> ports = new ArrayList<>();
  volatile boolean segments;
  volatile Predicate<Packet> loses; // null: none

  /** One port's end. */
  final class End implements Wire {
    WirePort self;

    @Override
    public void transmit(Packet packet, RunContext run) {
      Predicate<Packet> rule = loses;
      if (rule != null && rule.test(packet)) {
        packet.release(run);
        return;
      }
      if (packet.isMulticast()) {
        flood(packet, run);
        return;
      }
      for (int i = 0; i < ports.size(); i++) {
        WirePort p = ports.get(i);
        if (p.lid() == packet.dlid) {
          p.receive(packet, run);
          return;
        }
      }
      packet.release(run);
    }

    private void flood(Packet packet, RunContext run) {
      for (WirePort p : ports) {
        Packet copy = p.lid() == self.lid() ? null : packet.replicate();
        if (copy != null) {
          p.receive(copy, run);
        }
      }
      packet.release(run);
    }

    @Override
    public boolean segments() {
      return segments;
    }
  }

  End end() {
    return new End();
  }

  void connect(End end, WirePort port) {
    end.self = port;
    ports.add(port);
  }
}
