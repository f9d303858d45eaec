package ib.driver.soft.fabric;

import ib.driver.soft.topology.PortTally;
import ib.engine.wire.Framing;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the packets that the adapter at one port sends: the sender's call hands a packet to the
 * receiving port. A packet that cannot be delivered is dropped, as on a real fabric, and counted; a
 * reliable sender notices the loss by its timer. Any thread may call, from any context; no method
 * takes a lock, waits or allocates.
 */
final class Delivery {
  private final FabricPort from;
  private final ForwardingTable table;
  private final Mailbox mailbox;
  private final Losses losses;

  Delivery(FabricPort from, Mailbox mailbox, Losses losses) {
    this.from = from;
    this.table = from.table;
    this.mailbox = mailbox;
    this.losses = losses;
  }

  /** See {@link FabricPort#transmit}. */
  void transmit(Packet packet, RunContext run) {
    if (!from.cabled()) {
      discard(packet, Losses.Reason.LINK_DOWN, run);
    } else if (!from.filter.admits(packet)) {
      discard(packet, Losses.Reason.PARTITION_IN, run);
    } else if (packet.isMulticast()) {
      multicast(packet, run);
    } else {
      int dlid = packet.dlid;
      PortTally[] links = table.links(dlid);
      if (links.length > 0) {
        count(links, packet);
      }
      deliver(dlid == 0 || dlid == from.lid() ? from : table.port(dlid), packet, run);
    }
  }

  /**
   * See {@link FabricPort#direct}; the caller looks whether a capture or a fault rule needs
   * packets.
   */
  @Nullable WirePort direct(int dlid, int bytes) {
    FabricPort to = dlid == from.lid() ? from : table.port(dlid);
    if (to == null || !from.cabled() || bytes > to.mtuBytes()) {
      return null;
    }
    if (!from.filter.moot() || !to.filter.moot() || table.links(dlid).length > 0) {
      return null; // a partition filter, or a link between switches that counts, needs real packets
    }
    WirePort port = to.receiver();
    return port == null ? null : port.direct();
  }

  private void deliver(@Nullable FabricPort to, Packet packet, RunContext run) {
    WirePort port = to == null ? null : to.receiver();
    if (to == null && packet.destQpn <= 1 && packet.payload.length() == Mailbox.MAD_BYTES) {
      if (!mailbox.leaves(packet)) {
        discard(packet, Losses.Reason.LINK_DOWN, run);
      }
    } else if (to == null || port == null) {
      discard(packet, Losses.Reason.NO_ROUTE, run);
    } else if (!to.filter.emits(packet)) {
      discard(packet, Losses.Reason.PARTITION_OUT, run);
    } else if (!to.filter.fits(packet, to.mtuBytes())) {
      discard(packet, Losses.Reason.MTU, run);
    } else {
      port.receive(packet, run);
    }
  }

  private void multicast(Packet packet, RunContext run) {
    PortTally[] links = table.links(packet.dlid);
    if (links.length > 0) {
      count(links, packet);
    }
    for (FabricPort to : table.members(packet.dlid)) {
      if (to != from) {
        Packet replica = packet.replicate();
        if (replica == null) {
          losses.count(Losses.Reason.NO_MEMORY);
        } else {
          deliver(to, replica, run);
        }
      }
    }
    packet.release(run);
  }

  /** Counts a packet that is lost, and releases the packet. */
  void discard(Packet packet, Losses.Reason why, RunContext run) {
    losses.count(packet, why);
    packet.release(run);
  }

  /** Counts a packet at each port by which a switch sends the packet to another switch. */
  private static void count(PortTally[] links, Packet packet) {
    int packets = Framing.packets(packet);
    int words = Framing.words(packet, packets);
    for (PortTally link : links) {
      link.sent(packets, words, packet.sl, packet.isMulticast());
    }
  }
}
