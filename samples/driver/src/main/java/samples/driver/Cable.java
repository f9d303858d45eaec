package samples.driver;

import ib.core.verbs.IbAgainException;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A medium that gives each packet to the port whose LID is the packet's destination. */
final class Cable {
  static final int MAX_LID = 8;

  private final AtomicReferenceArray<WirePort> ports = new AtomicReferenceArray<>(MAX_LID + 1);

  void plug(int lid, WirePort port) {
    if (!ports.compareAndSet(lid, null, port)) {
      throw new IbAgainException("plug the cable", "LID " + lid + " is in use", "another lid");
    }
  }

  void unplug(int lid, WirePort port) {
    ports.compareAndSet(lid, port, null);
  }

  /** Returns the end of the cable for the port with this LID. */
  Wire end(int lid) {
    return new Wire() {
      @Override
      public void transmit(Packet packet, RunContext run) {
        if (packet.isMulticast()) {
          for (int to = 1; to <= MAX_LID; to++) {
            Packet copy = to == lid || ports.get(to) == null ? null : packet.replicate();
            deliver(copy, to, run);
          }
          packet.release(run);
        } else {
          deliver(packet, packet.dlid, run);
        }
      }

      @Override
      public boolean segments() {
        return false; // a packet may carry a whole message
      }
    };
  }

  private void deliver(Packet packet, int lid, RunContext run) {
    WirePort port = lid <= MAX_LID ? ports.get(lid) : null;
    if (packet != null && port != null) {
      port.receive(packet, run);
    } else if (packet != null) {
      packet.release(run); // lost: its sender sends it again, or gives up
    }
  }
}
