package ib.engine.sim;

import ib.core.verbs.QueuePair;
import ib.engine.verbs.Probe;

/** How the messages of a queue pair travel: in packets, or executed at the peer without any. */
final class Carriage {
  private final QueuePair qp;
  private long direct;
  private long packets;
  private long switches;
  private boolean knows; // since it was connected
  private boolean wasDirect;

  Carriage(QueuePair qp) {
    this.qp = qp;
  }

  /** Called after the queue pair was connected again. */
  void renew() {
    knows = false;
  }

  /** Looks at what it has done since the last look, all the while with or without disturbance. */
  void observe(boolean disturbed) {
    long directNow = Probe.direct(qp);
    long packetsNow = Probe.packets(qp);
    boolean executed = directNow > direct;
    boolean sent = packetsNow > packets;
    if (executed && disturbed) {
      throw new SimFailure("queue pair " + qp.qpn() + " went past a medium that disturbs packets");
    }
    if (executed != sent) {
      switches += knows && wasDirect != executed ? 1 : 0;
      knows = true;
      wasDirect = executed;
    }
    direct = directNow;
    packets = packetsNow;
  }

  /** Packets that were not needed. */
  long direct() {
    return direct;
  }

  /** How often it went on in the other way in the middle of a connection. */
  long switches() {
    return switches;
  }
}
