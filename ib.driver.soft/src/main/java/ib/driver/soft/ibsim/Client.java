package ib.driver.soft.ibsim;

import ib.core.mad.smp.Smp;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * A client of the ibsim server: management software that seems to the subnet to run at a port.
 * Guarded by the fabric's monitor.
 */
final class Client implements MadConsumer {
  private static final int TAG = 0xF000; // no agent in this JVM counts so far
  private static final int CLASS_SA = 0x03;
  private static final int CLASS_PERFORMANCE = 0x04;
  private static final int SM_INFO = 0x20;
  private static final int TRAP = 0x05;
  private static final int REPORT = 0x06;
  private static final int REPRESS = 0x07;
  private static final int TIMED_OUT = 110;
  private static final long ANSWER_NS = 300_000_000L;

  final int id;
  final SocketAddress control;
  final int port;
  final long sinceNs = System.nanoTime();
  final DatagramChannel channel;
  final Subnet subnet;
  final NodePort place;
  boolean silent = true; // the client has sent nothing since it connected
  private final Map<Long, Pending> pending = new HashMap<>();
  private boolean manager;
  private boolean gone; // a write to the client has failed; leave() was not called for that

  private record Pending(Datagram asked, long endNs) {}

  Client(
      int id,
      SocketAddress control,
      int port,
      DatagramChannel channel,
      Subnet subnet,
      NodePort place) {
    this.id = id;
    this.control = control;
    this.port = port;
    this.channel = channel;
    this.subnet = subnet;
    this.place = place;
    subnet.add(place, this);
  }

  void manages(boolean on) {
    if (on != manager) {
      manager = on;
      subnet.foreignManager(place, on);
    }
  }

  /** Removes the client from its port, whatever ends the client. Called once. */
  void leave() {
    subnet.remove(place, this);
    manages(false);
  }

  /** {@return whether a write to the client has failed} */
  boolean gone() {
    return gone;
  }

  // ---- from the client ----

  /**
   * Sends a datagram of the client into the subnet. A request without an answer is returned to the
   * client as lost.
   */
  void send(Datagram d) {
    Datagram asked = d.copy();
    int method = Smp.METHOD.in(d.mad);
    boolean question = !d.response() && method != REPRESS; // a TrapRepress has the trap's ID
    long tid = Smp.TRANSACTION_ID.of(d.mad);
    if (question) {
      tid = tid & 0xFFFF_FFFF_FFFFL | (long) (TAG | id) << 48;
      Smp.TRANSACTION_ID.set(d.mad, tid);
      Smp.TRANSACTION_ID.set(asked.mad, tid);
    }
    if (d.slid == 0) {
      d.slid = place.lid();
    }
    if (question) {
      pending.put(tid, new Pending(asked, System.nanoTime() + ANSWER_NS));
    }
    NodePort from = place;
    boolean byHops = d.directed() && d.dlid == Smp.PERMISSIVE_LID;
    if (byHops && !d.response() && Smp.HOP_COUNT.in(d.mad) > 0) { // IBA 14.2.2.1
      from = place.node().port(Smp.initialPath(d.mad, 1));
      Smp.HOP_POINTER.set(d.mad, 1);
    }
    if (from != null && from.number() + (place.node().isSwitch() ? 0 : 1) > 0) {
      subnet.send(from, d);
      subnet.carry();
    }
    if (question && prompt(asked)) {
      lost(tid);
    }
  }

  /** {@return whether an answer to a request, if there is one, comes at once} */
  private static boolean prompt(Datagram asked) {
    int mgmtClass = Smp.MGMT_CLASS.in(asked.mad);
    boolean smp = mgmtClass == Smp.CLASS_LID || mgmtClass == Smp.CLASS_DIRECTED;
    boolean agents = Smp.ATTRIBUTE_ID.in(asked.mad) != SM_INFO && Smp.METHOD.in(asked.mad) != TRAP;
    return smp && agents || mgmtClass == CLASS_PERFORMANCE;
  }

  private void lost(long tid) {
    Pending p = pending.remove(tid);
    if (p != null) {
      give(p.asked, TIMED_OUT);
    }
  }

  /** Returns to the client the requests whose time limit has passed. */
  void tick(long nowNs) {
    for (Iterator<Pending> i = pending.values().iterator(); i.hasNext(); ) {
      Pending p = i.next();
      if (p.endNs - nowNs <= 0) {
        i.remove();
        give(p.asked, TIMED_OUT);
      }
    }
  }

  boolean waits() {
    return !pending.isEmpty();
  }

  // ---- to the client ----

  @Override
  public boolean take(NodePort at, Datagram d) {
    boolean represses = Smp.METHOD.in(d.mad) == REPRESS; // the answer to a trap (IBA 13.4.9)
    if (d.response() || represses) {
      long tid = Smp.TRANSACTION_ID.of(d.mad);
      if (tid >>> 48 == (TAG | id)) {
        if (pending.remove(tid) != null) {
          if (d.directed()) {
            Smp.HOP_POINTER.set(d.mad, 0);
          }
          give(d, 0);
        }
        return true;
      }
      return false;
    }
    if (manager && concernsManager(d)) {
      give(d, 0);
      return true;
    }
    return false;
  }

  /**
   * {@return whether a request is for a subnet manager} A client does not get others, because a
   * request of a class for which it has no agent ends the client (linux-rdma/ibsim issue 38).
   */
  private static boolean concernsManager(Datagram d) {
    int method = Smp.METHOD.in(d.mad);
    return switch (Smp.MGMT_CLASS.in(d.mad)) {
      case Smp.CLASS_LID, Smp.CLASS_DIRECTED ->
          method == TRAP || Smp.ATTRIBUTE_ID.in(d.mad) == SM_INFO;
      case CLASS_SA -> method != REPORT && method != REPRESS;
      default -> false;
    };
  }

  private void give(Datagram d, int status) {
    try {
      ByteBuffer bytes = Request.write(d, status);
      channel.write(bytes);
    } catch (IOException e) { // the client's socket is closed
      gone = true;
    }
  }
}
