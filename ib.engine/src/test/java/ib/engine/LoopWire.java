package ib.engine;

import ib.core.verbs.Gid;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A wire that delivers at once, by LID; a test can make it lose packets. */
final class LoopWire {
  private static final int NARROW = 512;

  private final List<WirePort> ports = new ArrayList<>();
  private final Epoch epoch = new Epoch();
  private volatile boolean segments;

  /** The LID mask count of the port that packets go to. */
  int lmc;

  private volatile Predicate<Packet> loses; // null: none
  private volatile Predicate<Packet> holds; // null: none
  volatile boolean global; // whether every packet has a global route header, as in RoCE
  volatile Consumer<Packet> sees; // gets each packet before delivery, which stays direct; or null
  final AtomicLong transmitted = new AtomicLong();
  final AtomicLong asked = new AtomicLong(); // for a way without packets
  final StringBuilder violations = new StringBuilder(); // of a P_Key or a Q_Key, as told
  int asksUntilChange; // for a way; that way is lost as soon as it was found; 0: never
  int missing; // the question for a way at which it is not there, but right after; 0: none
  int narrow; // the LID of a port that takes packets of 512 bytes at most; 0: none
  private int lost; // the LID to which packets must be real ones; 0: none
  private End last;
  final Queue<Packet> held = new ConcurrentLinkedQueue<>();

  /** One port's end. */
  final class End implements Wire {
    WirePort self;

    @Override
    public void transmit(Packet packet, RunContext run) {
      transmitted.getAndIncrement();
      Consumer<Packet> witness = sees;
      if (witness != null) {
        witness.accept(packet);
      }
      Predicate<Packet> rule = loses;
      if (rule != null && rule.test(packet)) {
        packet.release(run);
        return;
      }
      Predicate<Packet> later = holds;
      if (later != null && later.test(packet)) {
        held.add(packet);
        return;
      }
      if (packet.isMulticast()) {
        flood(packet, run);
        return;
      }
      deliver(packet, run);
    }

    void deliver(Packet packet, RunContext run) {
      for (int i = 0; i < ports.size(); i++) {
        WirePort p = ports.get(i);
        if (p.lid() == packet.dlid >>> lmc << lmc) {
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
    public void keyViolation(Packet packet, boolean pkey) {
      violations.append(pkey ? 'P' : 'Q');
    }

    @Override
    public WirePort direct(Route route, Gid source, int bytes) {
      asked.getAndIncrement();
      boolean packets = loses != null || holds != null || segments || lost == route.dlid();
      packets |= bytes > NARROW && narrow == route.dlid();
      if (missing > 0 && --missing == 0) {
        packets = true;
        epoch.changed();
      }
      int reachable = packets ? 0 : ports.size();
      if (asksUntilChange > 0 && --asksUntilChange == 0) {
        lost = route.dlid(); // after this way was found
        epoch.changed();
      }
      for (int i = 0; i < reachable; i++) {
        WirePort p = ports.get(i);
        if (p.lid() == route.dlid() >>> lmc << lmc) {
          return p.direct();
        }
      }
      return null;
    }

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public boolean segments() {
      return segments;
    }

    @Override
    public boolean alwaysGlobal() {
      return global;
    }
  }

  /** Sets whether every packet is a real one. */
  void segments(boolean now) {
    segments = now;
    epoch.changed();
  }

  boolean segments() {
    return segments;
  }

  /** Sets which packets are lost, null for none; while it is set, all must be packets. */
  void loses(Predicate<Packet> which) {
    loses = which;
    epoch.changed();
  }

  /** Sets which packets are held, null for none; while it is set, all must be packets. */
  void holds(Predicate<Packet> which) {
    holds = which;
    epoch.changed();
  }

  /** Delivers what was held and fits; to others nothing happens. */
  void deliverHeld(Predicate<Packet> which, RunContext run) {
    for (Packet p : List.copyOf(held)) {
      if (which.test(p)) {
        held.remove(p);
        last.deliver(p, run);
        run.finish();
      }
    }
  }

  End end() {
    last = new End();
    return last;
  }

  void connect(End end, WirePort port) {
    end.self = port;
    ports.add(port);
  }
}
