package ib.driver.soft;

import ib.core.mad.MadMethod;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NoticeLayout;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands where the subnet manager was: takes the traps, and represses them or not. Ports repeat
 * theirs every 0.5 ms as long as nobody does.
 */
final class TrapSink implements MadConsumer, AutoCloseable {
  private static final int SUBNET_TIMEOUT = 7; // 4.096 us * 2^7

  private final Subnet subnet;
  private final NodePort seat;
  private final List<MemorySegment> traps = new CopyOnWriteArrayList<>();
  private volatile boolean represses;

  TrapSink(Subnet subnet) {
    this.subnet = subnet;
    synchronized (subnet.fabric()) {
      seat = subnet.nodes().getFirst().port(0);
      subnet.nodes().forEach(n -> n.ports().forEach(this::quick));
      quick(seat);
      subnet.add(seat, this);
      subnet.foreignManager(seat, true);
      subnet.carry();
    }
    OpensmTest.await("the trap of the change itself is over", () -> count(144) >= 5);
    traps.clear();
  }

  private void quick(NodePort port) {
    if (port.linked() || port == seat) {
      MemorySegment data = MemorySegment.ofArray(new byte[64]).copyFrom(port.info());
      PortInfo.PORT_STATE.set(data, 0);
      PortInfo.PORT_PHYS_STATE.set(data, 0);
      PortInfo.SUBNET_TIMEOUT.set(data, SUBNET_TIMEOUT);
      subnet.set(port, SmpAttribute.PORT_INFO, port.number(), data);
      subnet.settle();
    }
  }

  TrapSink represses(boolean on) {
    represses = on;
    return this;
  }

  @Override
  public boolean take(NodePort at, Datagram d) {
    if (Smp.METHOD.in(d.mad) != MadMethod.TRAP) {
      return false;
    }
    traps.add(d.copy().mad);
    if (represses) {
      MemorySegment answer = MemorySegment.ofArray(new byte[256]).copyFrom(d.mad);
      Smp.METHOD.set(answer, MadMethod.TRAP_REPRESS);
      subnet.send(at, d.reply(answer));
    }
    return true;
  }

  long count(int number) {
    return traps.stream().filter(t -> NoticeLayout.TRAP_NUMBER.in(Smp.data(t)) == number).count();
  }

  /** How many different ones: what is repeated has the same transaction. */
  long distinct(int number) {
    return traps.stream()
        .filter(t -> NoticeLayout.TRAP_NUMBER.in(Smp.data(t)) == number)
        .map(Smp.TRANSACTION_ID::of)
        .distinct()
        .count();
  }

  /** Waits for a trap and gives its notice. */
  MemorySegment await(int number) {
    OpensmTest.await("trap " + number, () -> count(number) > 0);
    Optional<MemorySegment> first =
        traps.stream()
            .map(Smp::data)
            .filter(n -> NoticeLayout.TRAP_NUMBER.in(n) == number)
            .findFirst();
    return first.orElseThrow();
  }

  /** A part of the details of a notice. */
  static long detail(MemorySegment notice, int bit, int bits) {
    return MadField.read(notice, 80 + bit, bits);
  }

  @Override
  public void close() {
    synchronized (subnet.fabric()) {
      subnet.remove(seat, this);
      subnet.foreignManager(seat, false);
      subnet.carry();
    }
  }
}
