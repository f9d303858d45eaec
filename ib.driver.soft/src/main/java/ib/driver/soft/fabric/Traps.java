package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The traps that are repeated. Each trap is repeated until the subnet manager represses the trap,
 * or until the port has sent the trap {@code MAX_TIMES} times (IBA 13.4.9, 14.3.9). Guarded by the
 * fabric's monitor.
 */
final class Traps {
  /** Method TrapRepress. */
  static final int REPRESS = 0x07;

  private static final int TRAP = 0x05;
  private static final int MAX_TIMES = 5;

  /**
   * How many traps of one number a port repeats at once. The limit is needed because a stranger
   * causes some of these traps, for example by a wrong M_Key.
   */
  static final int MAX_PENDING = 16;

  /** The reason for which a trap is not sent. */
  static final String TOO_MANY = "a trap while enough of its number are repeated by the port";

  private static final long TIME_UNIT_NS = 4096;

  private static final class Pending {
    final NodePort from;
    final int number;
    final MemorySegment notice;
    int times;
    long againNs;

    Pending(NodePort from, int number, MemorySegment notice) {
      this.from = from;
      this.number = number;
      this.notice = notice;
    }
  }

  private final Subnet subnet;
  private final Map<Long, Pending> pending = new HashMap<>();
  private long tid;

  Traps(Subnet subnet) {
    this.subnet = subnet;
  }

  void send(NodePort from, Trap trap) {
    MemorySegment notice = trap.notice(from);
    int number = trap.number();
    pending.values().removeIf(p -> p.from.equals(from) && p.notice.mismatch(notice) < 0);
    long others =
        pending.values().stream().filter(p -> p.from.equals(from) && p.number == number).count();
    if (others >= MAX_PENDING) {
      subnet.fabric().incidents().refused(TOO_MANY, () -> trap.about(from));
      return;
    }
    long id = ++tid;
    Pending p = new Pending(from, number, notice);
    pending.put(id, p);
    say(id, p);
    subnet.fabric().wake();
  }

  private void say(long id, Pending p) {
    MemorySegment mad = Datagram.smp(TRAP, SmpAttribute.NOTICE, id);
    Smp.data(mad).copyFrom(p.notice);
    Datagram d = new Datagram(mad);
    d.slid = p.from.lid();
    d.dlid = PortInfo.SM_LID.in(p.from.info());
    p.times++;
    p.againNs = System.nanoTime() + (TIME_UNIT_NS << PortInfo.SUBNET_TIMEOUT.in(p.from.info()));
    subnet.send(p.from, d);
  }

  /** Stops the repetition of a trap. {@return false when no port repeats a trap of this ID} */
  boolean repress(long id) {
    return pending.remove(id) != null;
  }

  /** {@return when the next repetition is due; Long.MAX_VALUE for never} */
  long dueNs() {
    return pending.values().stream().mapToLong(p -> p.againNs).min().orElse(Long.MAX_VALUE);
  }

  /** Repeats the traps that are due. */
  void tick(long nowNs) {
    List<Long> due = new ArrayList<>();
    pending.forEach(
        (id, p) -> {
          if (p.againNs - nowNs <= 0) {
            due.add(id);
          }
        });
    for (Long id : due) {
      Pending p = pending.get(id);
      if (p == null || p.times >= MAX_TIMES || p.from.lid() == 0) {
        pending.remove(id);
      } else {
        say(id, p);
      }
    }
  }
}
