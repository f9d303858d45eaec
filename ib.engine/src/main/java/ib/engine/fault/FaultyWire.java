package ib.engine.fault;

import ib.core.spi.FaultRule;
import ib.core.spi.FaultRule.Direction;
import ib.core.verbs.Gid;
import ib.engine.SoftHca;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.PortAround;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WireAround;
import ib.engine.wire.WirePort;
import org.jspecify.annotations.Nullable;

/**
 * A wire around another wire, which disturbs packets by the rules of {@link Faults}. Without a rule
 * it costs one volatile read per packet. A packet that is damaged or held is replaced by a copy of
 * its bytes and released at once, so its sender does not wait. At most {@value #MAX_HELD} copies
 * per direction exist; further packets pass undisturbed.
 */
public final class FaultyWire extends WireAround implements AutoCloseable {
  private static final int MAX_HELD = 1024;

  private final Faults faults;
  private final int port;
  private final NanoClock clock;
  private final Shelf out;
  private @Nullable Shelf in; // set before the first packet
  private @Nullable Alarms alarms; // set before the first packet

  /**
   * Wraps a wire.
   *
   * @param inner the medium
   * @param faults the rules of the device
   * @param port number of the port
   * @param clock the time of the device
   */
  public FaultyWire(Wire inner, Faults faults, int port, NanoClock clock) {
    super(inner);
    this.faults = faults;
    this.port = port;
    this.clock = clock;
    this.out = new Shelf(inner::transmit, clock, MAX_HELD, epoch());
    faults.counts(epoch());
  }

  /**
   * Sets the device, once, before the first packet.
   *
   * @param hca the device, whose worker releases held packets
   */
  public void attach(SoftHca hca) {
    alarms = new Alarms(hca, this::expire, clock);
  }

  /**
   * Wraps the port that the medium delivers packets to, once, before the first packet.
   *
   * @param receiver the device's port
   * @return the port for the medium, at which rules of direction {@code in} apply
   */
  public WirePort receiver(WirePort receiver) {
    Shelf shelf = new Shelf(receiver::receive, clock, MAX_HELD, epoch());
    in = shelf;
    return new PortAround(receiver) {
      @Override
      public void receive(Packet packet, RunContext run) {
        pass(packet, run, shelf, Direction.IN);
      }

      @Override
      public @Nullable WirePort direct() {
        return faults.active().length == 0 && shelf.isEmpty() ? receiver.direct() : null;
      }
    };
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    pass(packet, run, out, Direction.OUT);
  }

  @Override
  public @Nullable WirePort direct(Route route, Gid source, int bytes) {
    return faults.active().length == 0 && out.isEmpty() ? inner.direct(route, source, bytes) : null;
  }

  private void pass(Packet p, RunContext run, Shelf shelf, Direction way) {
    Shelf.Exit exit = shelf.exit;
    Fault[] rules = faults.active();
    if (rules.length == 0 && shelf.isEmpty()) {
      exit.pass(p, run);
      return;
    }
    Chance chance = faults.chance;
    boolean lost = false;
    FaultRule copied = null;
    FaultRule held = null;
    FaultRule damaged = null;
    for (Fault f : rules) {
      if (f.hits(p, way, port, chance)) {
        FaultRule r = f.rule;
        p.disturbed(r.kind().label());
        switch (r.kind()) {
          case LOSS, PARTITION -> lost = true;
          case DUPLICATE -> copied = r;
          case REORDER, DELAY -> held = r;
          case CORRUPT, SILENT -> damaged = r;
        }
      }
    }
    if (lost) {
      p.release(run);
    } else if (copied == null && held == null && damaged == null) {
      exit.pass(p, run);
    } else {
      disturb(p, run, shelf, copied, held, damaged);
    }
    shelf.count(run);
  }

  private void disturb(
      Packet original,
      RunContext run,
      Shelf shelf,
      @Nullable FaultRule copied,
      @Nullable FaultRule held,
      @Nullable FaultRule damaged) {
    Shelf.Exit exit = shelf.exit;
    Packet duplicate = copied == null ? null : shelf.copy(original);
    Packet p = original;
    if (held != null || damaged != null) {
      Packet copy = shelf.copy(original);
      if (copy != null) {
        p = copy;
        if (damaged != null) {
          Damage.to(p, damaged.kind() == FaultRule.Kind.SILENT, faults.chance);
        }
      }
    }
    if (original.isFaulty() || !p.equals(original)) {
      original.release(run);
    }
    if (original
        .isFaulty()) { // its payload is no longer readable: the release reports that to the sender
      if (duplicate != null) {
        duplicate.release(run);
      }
      return;
    }
    if (held != null && !p.equals(original)) {
      hold(p, held, shelf);
    } else {
      exit.pass(p, run);
    }
    if (duplicate != null) {
      if (copied != null && copied.delayNs() + copied.jitterNs() > 0) {
        hold(duplicate, copied, shelf);
      } else {
        exit.pass(duplicate, run);
      }
    }
  }

  private void hold(Packet p, FaultRule rule, Shelf shelf) {
    Chance chance = faults.chance;
    long ns = rule.delayNs() + (rule.jitterNs() == 0 ? 0 : chance.below(rule.jitterNs() + 1));
    boolean overtaken = rule.kind() == FaultRule.Kind.REORDER;
    int others = overtaken ? 1 + (int) chance.below(rule.packets()) : Integer.MAX_VALUE;
    shelf.hold(p, others, ns);
    Alarms a = alarms;
    if (a != null) {
      a.within(ns);
    }
  }

  private long expire(RunContext run) {
    Shelf received = in;
    long next = out.expire(run);
    return received == null ? next : Math.min(next, received.expire(run));
  }

  /** {@return true while there are rules, or if the medium segments (D5)} */
  @Override
  public boolean segments() {
    return faults.active().length > 0 || inner.segments();
  }

  /** {@return the number of held packets of both directions} */
  public int held() {
    Shelf received = in;
    return out.held() + (received == null ? 0 : received.held());
  }

  /** {@return the number of copies: held, or passed on and not released by their receiver yet} */
  public int copies() {
    Shelf received = in;
    return out.taken() + (received == null ? 0 : received.taken());
  }

  /** Drops held packets. The medium is not closed. */
  @Override
  public void close() {
    out.close();
    Shelf received = in;
    if (received != null) {
      received.close();
    }
    Alarms a = alarms;
    if (a != null) {
      a.close();
    }
  }
}
