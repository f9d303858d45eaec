package ib.engine.fault;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.engine.wire.Packet;
import java.util.concurrent.atomic.AtomicLong;

/** An active rule with its counts. Any thread may call. */
final class Fault {
  final int id;
  final FaultRule rule;
  private final long threshold; // compared with 53 random bits
  private final AtomicLong fitting = new AtomicLong();
  private final AtomicLong hit = new AtomicLong();

  Fault(int id, FaultRule rule) {
    this.id = id;
    this.rule = rule;
    this.threshold = (long) (rule.rate() * (1L << 53));
  }

  FaultInjection.Active snapshot() {
    return new FaultInjection.Active(id, rule, fitting.get(), hit.get());
  }

  /** {@return whether the rule disturbs a packet, which is counted} */
  boolean hits(Packet p, FaultRule.Direction way, int port, Chance chance) {
    if (!fits(p, way, port)) {
      return false;
    }
    if (fitting.getAndIncrement() < rule.skip()) {
      return false;
    }
    if (rule.rate() < 1 && chance.next() >>> 11 >= threshold) {
      return false;
    }
    if (rule.count() == 0) {
      hit.getAndIncrement();
      return true;
    }
    long n;
    do {
      n = hit.get();
      if (n >= rule.count()) {
        return false;
      }
    } while (!hit.compareAndSet(n, n + 1));
    return true;
  }

  private boolean fits(Packet p, FaultRule.Direction way, int port) {
    FaultRule r = rule;
    int peer = way == FaultRule.Direction.OUT ? p.dlid : p.slid;
    return (r.direction() == way || r.direction() == FaultRule.Direction.BOTH)
        && (r.port() == 0 || r.port() == port)
        && (r.opcode() < 0 || r.opcode() == p.opcode)
        && (r.qpn() < 0 || r.qpn() == p.destQpn || r.qpn() == p.sourceQpn)
        && (r.peer() < 0 || r.peer() == peer)
        && r.hasPsn(p.psn);
  }
}
