package ib.driver.soft.sm;

import ib.core.mad.MadMethod;
import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.sm.SmState.Signal;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which subnet manager is the master. The built-in manager and the clients of the ibsim
 * server exchange their states and priorities by SMInfo (IBA 14.4). The manager of the highest
 * priority is the master, among equals the one with the lowest GUID; with priority 0 the built-in
 * manager gives way to any other one at once. Guarded by the fabric's monitor.
 */
final class Negotiation {
  /** The interval at which this manager polls the others. */
  static final long POLL_NS = 1_000_000_000L;

  /** The number of polls without an answer after which the master is taken for dead. */
  static final int MAX_SILENT_POLLS = 8;

  /** The number of polls without an answer after which a handover is sent again. */
  static final int HANDOVER_POLLS = 4;

  private static final long TAG = 0xD000L << 48; // the subnet administrator's reports have 0xE000
  private static final int BAD_FIELD = 7 << 2;

  private final Subnet subnet;
  private final BuiltinSm manager;
  private final Map<NodePort, Peer> peers = new LinkedHashMap<>();
  private SmState state = SmState.MASTER; // until there are others
  private boolean yielded;
  private int silentPolls;
  private int activity;
  private long dueNs = Long.MAX_VALUE;
  private long tid = TAG;
  private @Nullable Peer heir; // the manager to which a handover was sent
  private long handover; // the transaction ID of the handover
  private int handoverPolls;

  Negotiation(Subnet subnet, BuiltinSm manager) {
    this.subnet = subnet;
    this.manager = manager;
  }

  boolean masters() {
    return state == SmState.MASTER;
  }

  SmState state() {
    return state;
  }

  /** {@return the other managers that have sent their SMInfo} */
  List<Peer> peers() {
    return peers.values().stream().filter(p -> p.guid != 0).toList();
  }

  /** {@return the number of actions of this manager, the ActCount of SMInfo} */
  int activity() {
    return activity;
  }

  /** Counts an action of this manager. */
  void acts() {
    activity++;
  }

  int priority() {
    return manager.seat() == null ? 0 : subnet.fabric().smPriority();
  }

  // ---- what happens ----

  /** Handles a change of the other managers, or of this manager's place or priority. */
  void changed() {
    Collection<NodePort> there = subnet.foreignManagers();
    peers.keySet().retainAll(there);
    if (heir != null && !peers.containsValue(heir)) {
      heir = null;
    }
    there.forEach(p -> peers.computeIfAbsent(p, Peer::new));
    if (peers.isEmpty()) {
      if (yielded) {
        signal(Signal.RECALLED);
      }
    } else if (yielded && priority() > 0) {
      signal(Signal.RECALLED);
    } else if (!masters() || heir().isEmpty()) {
      yieldIfUnwanted(); // otherwise the heir gets the subnet
    }
    continueDiscovery();
  }

  /** Gives way to the others if this manager has priority 0. */
  private void yieldIfUnwanted() {
    if (priority() == 0 && signal(Signal.YIELDED)) {
      yielded = true;
    }
  }

  private boolean signal(Signal what) {
    SmState before = state;
    SmState after = before.after(what);
    if (after == null) {
      return false;
    }
    state = after;
    yielded = false;
    silentPolls = 0;
    if (before == SmState.MASTER && after != SmState.MASTER) {
      heir = null;
      manager.onStandby();
    } else if (after == SmState.MASTER) { // also when it was the master already
      manager.onMaster();
    }
    return true;
  }

  /** Polls the other managers after a change, or becomes the master when there are none. */
  private void continueDiscovery() {
    if (peers.isEmpty()) {
      signal(Signal.LOST); // no peer to wait for
      signal(Signal.ALONE);
      dueNs = Long.MAX_VALUE;
    } else if (state == SmState.NOT_ACTIVE) {
      dueNs = Long.MAX_VALUE;
    } else {
      poll();
    }
  }

  private void poll() {
    handoverPolls++;
    for (Peer peer : peers.values()) {
      peer.heard = false;
      send(peer.port.lid(), MadMethod.GET, 0, ++tid, state);
    }
    dueNs = System.nanoTime() + POLL_NS;
    subnet.fabric().wake();
  }

  long dueNs() {
    return dueNs;
  }

  void tick() {
    if (dueNs - System.nanoTime() <= 0) {
      judgePolls();
    }
  }

  /** Draws the conclusion from the answers to the last polls, and polls again. */
  void judgePolls() {
    if (state == SmState.DISCOVERING) {
      discovered(); // a peer that has not answered by now is not there
    } else if (state == SmState.STANDBY) {
      boolean alive = peers.values().stream().anyMatch(p -> p.heard && claims(p));
      silentPolls = alive ? 0 : silentPolls + 1;
      if (silentPolls > MAX_SILENT_POLLS) {
        signal(Signal.LOST);
      }
    }
    continueDiscovery();
  }

  /** Returns whether a peer is the master, or becomes the master before this manager. */
  private boolean claims(Peer peer) {
    return peer.state == SmState.MASTER
        || outranks(peer)
            && (peer.state == SmState.STANDBY
                || peer.state == SmState.DISCOVERING && state == SmState.DISCOVERING);
  }

  private boolean outranks(Peer peer) {
    NodePort seat = manager.seat();
    if (priority() == 0 || seat == null) {
      return true;
    }
    Peer self = new Peer(seat);
    self.priority = priority();
    self.guid = seat.guid();
    return Peer.RANK.compare(peer, self) > 0;
  }

  private void discovered() {
    boolean outranked = peers.values().stream().anyMatch(p -> p.heard && claims(p));
    signal(outranked ? Signal.OUTRANKED : Signal.ALONE);
  }

  /** {@return the peer that is to be the master instead of this manager} */
  private Optional<Peer> heir() {
    return peers.values().stream()
        .filter(p -> p.state == SmState.STANDBY || p.state == SmState.MASTER)
        .filter(this::outranks)
        .max(Peer.RANK);
  }

  // ---- datagrams ----

  /** Returns whether an SMInfo has the right SM_Key, or the key 0 (IBA 14.2.5.13). */
  private boolean believed(MemorySegment data) {
    long key = SmInfo.SM_KEY.of(data);
    return key == 0 || key == subnet.fabric().smKey();
  }

  private void info(MemorySegment data, SmState as, boolean shown) {
    NodePort seat = manager.seat();
    data.fill((byte) 0);
    SmInfo.GUID.set(data, seat == null ? 0 : seat.guid());
    SmInfo.SM_KEY.set(data, shown ? subnet.fabric().smKey() : 0);
    SmInfo.ACT_COUNT.set(data, ++activity);
    SmInfo.PRIORITY.set(data, priority());
    SmInfo.STATE.set(data, as.ordinal());
  }

  private void send(int lid, int method, int modifier, long id, SmState as) {
    NodePort seat = manager.seat();
    if (seat == null) {
      return;
    }
    MemorySegment mad = Datagram.smp(method, SmpAttribute.SM_INFO, id);
    Smp.ATTRIBUTE_MODIFIER.set(mad, modifier);
    info(Smp.data(mad), as, true);
    Datagram d = new Datagram(mad);
    d.slid = seat.lid();
    d.dlid = lid;
    subnet.send(seat, d);
  }

  /** Handles a datagram if it is about SMInfo. {@return whether it is} */
  boolean take(NodePort at, Datagram d) {
    switch (Smp.METHOD.in(d.mad)) {
      case MadMethod.GET -> reply(at, d, 0);
      case MadMethod.SET -> command(at, d);
      case MadMethod.GET | MadMethod.RESPONSE -> {
        long id = Smp.TRANSACTION_ID.of(d.mad);
        if ((id & 0xffffL << 48) != TAG) {
          return false; // the response to a tool at the same node
        }
        response(id, d.mad);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void reply(NodePort at, Datagram d, int status) {
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(d.mad);
    Smp.METHOD.set(reply, MadMethod.GET | MadMethod.RESPONSE);
    Smp.STATUS.set(reply, status);
    // IBA 14.2.5.13: a peer without the key gets key 0. OpenSM sends no key, and trusts no peer
    // without one
    info(Smp.data(reply), state, believed(Smp.data(d.mad)));
    if (d.directed()) {
      Smp.DIRECTION.set(reply, 1);
    }
    subnet.send(at, d.reply(reply));
  }

  /** Executes a command of another manager, or refuses an illegal one (IBA 14.2.5.13). */
  private void command(NodePort at, Datagram d) {
    Signal what = Signal.of(Smp.ATTRIBUTE_MODIFIER.in(d.mad));
    MemorySegment data = Smp.data(d.mad);
    boolean legal =
        what != null
            && believed(data)
            && SmInfo.STATE.in(data) == what.sender().ordinal()
            && state.after(what) != null
            && (what != Signal.ACKNOWLEDGE || state == SmState.STANDBY || heir != null);
    reply(at, d, legal ? 0 : BAD_FIELD);
    if (what == null || !legal) {
      return;
    }
    if (what == Signal.HANDOVER) {
      long guid = SmInfo.GUID.of(data);
      peers.values().stream()
          .filter(p -> p.port.guid() == guid)
          .forEach(
              p ->
                  send(
                      p.port.lid(),
                      MadMethod.SET,
                      Signal.ACKNOWLEDGE.modifier,
                      ++tid,
                      SmState.STANDBY));
    }
    signal(what);
    continueDiscovery();
  }

  /** Handles the response of another manager. */
  private void response(long id, MemorySegment mad) {
    boolean believed = believed(Smp.data(mad));
    if (id == handover) {
      boolean first = heir != null;
      heir = null; // the heir has taken the subnet, or has refused it
      if (first && believed && Smp.STATUS.in(mad) == 0 && signal(Signal.HANDED_OVER)) {
        yieldIfUnwanted();
        continueDiscovery();
      }
      return;
    }
    MemorySegment data = Smp.data(mad);
    for (Peer peer : peers.values()) { // also a late response has the present state of the peer
      boolean its = peer.port.guid() == SmInfo.GUID.of(data) && Smp.STATUS.in(mad) == 0;
      if (its && !believed) {
        peer.state = SmState.NOT_ACTIVE;
        peer.guid = 0; // as if the peer had never answered
      } else if (its) {
        peer.heard = true;
        peer.priority = SmInfo.PRIORITY.in(data);
        peer.guid = SmInfo.GUID.of(data);
        peer.activity = SmInfo.ACT_COUNT.in(data);
        peer.state = SmState.values()[SmInfo.STATE.in(data) & 3];
        answered();
      }
    }
  }

  private void answered() {
    if (state == SmState.DISCOVERING && peers.values().stream().allMatch(p -> p.heard)) {
      discovered();
      continueDiscovery();
    } else if (state == SmState.MASTER) {
      heir().filter(p -> p.heard).ifPresent(this::handOver);
    }
  }

  /**
   * Hands the subnet over to another manager and waits for its response, however long that takes. A
   * manager that has received HANDOVER has the subnet; another HANDOVER would make it start over.
   * Only a lost datagram is repeated.
   */
  private void handOver(Peer to) {
    boolean waits = to.equals(heir);
    if (waits && handoverPolls < HANDOVER_POLLS) {
      return;
    }
    if (!waits) {
      heir = to;
      handover = ++tid;
    }
    handoverPolls = 0;
    send(to.port.lid(), MadMethod.SET, Signal.HANDOVER.modifier, handover, SmState.MASTER);
  }
}
