package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.driver.soft.sma.Offence;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.NodePort;
import ib.engine.wire.Packet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The last packet that was dropped for its key, until the fabric's thread has sent the trap. One
 * packet at a time is kept: a packet that is dropped meanwhile, or sooner after the last trap than
 * the subnet manager allows (PortInfo SubnetTimeout, IBA 14.2.5.6), causes no trap. Any thread may
 * call {@link #note}, which does not wait; the rest is guarded by the fabric's monitor.
 */
final class KeyViolation {
  /** Trap 257: a P_Key at an adapter. */
  static final int PKEY = 257;

  /** Trap 258: a Q_Key at an adapter. */
  static final int QKEY = 258;

  /** Trap 259: a P_Key at a port of a switch. */
  static final int SWITCH_PKEY = 259;

  private static final int FREE = 0;
  private static final int BUSY = 1;
  private static final int NOTED = 2;
  private static final int TOLD = 3;
  private static final long TIME_UNIT_NS = 4096;

  private final FabricPort end;
  private final AtomicInteger state = new AtomicInteger();
  private final Offence offence = new Offence();
  private volatile long againNs;
  private int number;

  KeyViolation(FabricPort end) {
    this.end = end;
  }

  /** Notes a packet that the caller drops. */
  void note(int trap, Packet p) {
    int now = state.get();
    boolean again = now == TOLD && System.nanoTime() - againNs >= 0;
    if ((now == FREE || again) && state.compareAndSet(now, BUSY)) {
      number = trap;
      offence.slid = p.slid;
      offence.dlid = p.dlid;
      offence.sl = p.sl;
      offence.key = trap == QKEY ? p.qkey : p.pkey;
      offence.sourceQpn = p.sourceQpn;
      offence.destQpn = p.destQpn;
      offence.sgidHigh = p.global ? p.sgidHigh : 0;
      offence.sgidLow = p.global ? p.sgidLow : 0;
      offence.dgidHigh = p.global ? p.dgidHigh : 0;
      offence.dgidLow = p.global ? p.dgidLow : 0;
      state.set(NOTED);
      end.subnet().left(end);
    }
  }

  /**
   * Sends the trap if a packet was noted.
   *
   * @param at the port where the packet was dropped
   */
  void sendTrap(NodePort at) {
    if (state.get() != NOTED) {
      return;
    }
    NodePort from = at.node().managed(at);
    end.subnet()
        .trap(
            from, number == SWITCH_PKEY ? Trap.switchPkey(at, offence) : Trap.key(number, offence));
    againNs = System.nanoTime() + (TIME_UNIT_NS << PortInfo.SUBNET_TIMEOUT.in(from.info()));
    state.set(TOLD);
  }
}
