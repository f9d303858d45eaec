package ib.driver.soft.fabric;

import ib.core.client.Incidents;
import ib.driver.soft.topology.NodePort;
import ib.engine.mr.Copier;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketQueue;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The management datagrams at an adapter's port: packets that threads have queued here for the
 * fabric's thread, which turns the packets into datagrams, and packets that the fabric makes. Any
 * thread may call {@link #leaves} and {@link #arrives}; the rest is guarded by the fabric's
 * monitor.
 */
final class Mailbox {
  static final int MAD_BYTES = 256;

  private final Subnet subnet;
  private final NodePort place;
  private final FabricPort end;
  // only a thread that holds the fabric's monitor takes packets out of the two queues
  private final PacketQueue out = new PacketQueue();
  private final PacketQueue in = new PacketQueue();
  private final MadOwner owner = new MadOwner();
  private volatile @Nullable WirePort software;
  private volatile @Nullable Wire top;
  private volatile boolean closed;

  Mailbox(FabricPort end) {
    this.end = end;
    this.subnet = end.subnet();
    this.place = end.place();
  }

  /** Sets the adapter's port, which receives the datagrams that the node's agents do not take. */
  void software(WirePort port) {
    software = port;
  }

  /** Sets the adapter's outermost wire, by which {@link #send} sends. */
  void top(Wire wire) {
    top = wire;
  }

  /** Queues a datagram that the adapter sends. {@return false after {@link #close}} */
  boolean leaves(Packet packet) {
    return left(out, packet);
  }

  /** Queues a datagram that has arrived for the adapter. {@return false after {@link #close}} */
  boolean arrives(Packet packet) {
    return left(in, packet);
  }

  private boolean left(PacketQueue queue, Packet packet) {
    if (closed) {
      return false;
    }
    queue.push(packet);
    subnet.left(end);
    if (closed) { // close() may have run before the push: only then a sender takes the lock
      synchronized (subnet.fabric()) {
        carry();
      }
    }
    return true;
  }

  /**
   * Carries the queued datagrams; the failure of one datagram does not hold up the next. The caller
   * holds the fabric's monitor.
   */
  void carry() {
    RunContext run = subnet.fabric().run;
    Incidents incidents = subnet.fabric().incidents();
    for (Packet p = out.peek(); p != null; p = out.peek()) {
      out.remove();
      Packet leaving = p;
      incidents.outlive(() -> sent(leaving, run));
    }
    for (Packet p = in.peek(); p != null; p = in.peek()) {
      in.remove();
      Packet coming = p;
      incidents.outlive(() -> arrived(coming, run));
    }
  }

  private void sent(Packet p, RunContext run) {
    Datagram d;
    try {
      d = closed ? null : read(p);
    } finally {
      p.release(run);
    }
    if (d != null) {
      subnet.sent(place, d);
    }
  }

  private void arrived(Packet p, RunContext run) {
    WirePort port = software;
    boolean done = true;
    try {
      Datagram d = closed || port == null ? null : read(p);
      done = d == null || subnet.arrived(place, d);
    } finally {
      if (done || port == null) {
        p.release(run);
      }
    }
    if (!done && port != null) {
      port.receive(p, run);
    }
  }

  private static @Nullable Datagram read(Packet p) {
    MemorySegment mad = MemorySegment.ofArray(new byte[MAD_BYTES]);
    if (p.payload.length() != MAD_BYTES || Copier.toSegment(p.payload, mad, 0) != Copier.OK) {
      return null;
    }
    Datagram d = new Datagram(mad);
    d.slid = p.slid;
    d.dlid = p.dlid;
    d.sourceQpn = p.sourceQpn;
    d.destQpn = p.destQpn;
    d.sl = p.sl;
    return d;
  }

  /** Hands a datagram to the adapter as a packet. */
  void receive(Datagram d, WirePort port) {
    port.receive(owner.packet(d), subnet.fabric().run);
  }

  /** Sends a datagram by the adapter's wire. {@return false when there is no wire} */
  boolean send(Datagram d) {
    Wire wire = top;
    if (wire == null) {
      return false;
    }
    wire.transmit(owner.packet(d), subnet.fabric().run);
    return true;
  }

  /** Releases the packets that are still queued, and forgets the adapter. */
  void close() {
    closed = true;
    try {
      carry();
    } finally {
      subnet.fabric().run.finish();
      software = null;
      top = null;
    }
  }
}
