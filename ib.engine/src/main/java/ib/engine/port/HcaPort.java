package ib.engine.port;

import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import ib.core.wire.DropReason;
import ib.engine.link.GuardLimits;
import ib.engine.link.HcaCounter;
import ib.engine.link.Link;
import ib.engine.link.Traffic;
import ib.engine.qp.QpCore;
import ib.engine.run.RunList;
import ib.engine.wire.Framing;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A port: its tables, its state, and the way of packets out and in. The driver or the subnet
 * manager sets what is set here, from any thread; each change raises its event after it has
 * happened.
 */
public final class HcaPort extends Link {
  private final HcaCore hca;
  private final int number;
  private final HcaObserver observer;
  final SpecialPair specials;
  private volatile PortAttr attr;

  HcaPort(HcaCore hca, int number, Wire wire, HcaObserver observer) {
    super(
        wire,
        hca.worker(),
        hca.config().gidCount(),
        (int) hca.config().limit(Limit.MAX_PKEYS),
        hca.config().portGuids()[number - 1]);
    this.hca = hca;
    this.number = number;
    this.observer = observer;
    this.specials = new SpecialPair(number);
    this.attr =
        PortAttr.builder()
            .maxMtu(hca.config().mtuMax())
            .activeMtu(hca.config().mtuMax())
            .linkLayer(hca.config().linkLayer())
            .maxMsgSize(hca.config().limit(Limit.MAX_MSG_SZ))
            .gidTableLen(hca.config().gidCount())
            .pkeyTableLen((int) hca.config().limit(Limit.MAX_PKEYS))
            .physState(PhysState.POLLING)
            .state(PortState.DOWN)
            .build();
  }

  // ---- for the driver ----

  @Override
  public int number() {
    return number;
  }

  @Override
  public int lid() {
    return attr.lid();
  }

  /** {@return the attributes now} */
  public PortAttr attr() {
    return attr.toBuilder()
        .badPkeyCounter(guard().badPkeys())
        .qkeyViolationCounter(guard().badQkeys())
        .build();
  }

  /**
   * Changes attributes other than state, LID and tables (SM LID, width, speed, MTU, capabilities
   * …).
   *
   * @param change applied to a builder with the present values
   */
  public synchronized void update(Consumer<PortAttr.Builder> change) {
    PortAttr.Builder b = attr.toBuilder();
    PortAttr before = attr;
    change.accept(b);
    attr = b.build();
    if (attr.smLid() != before.smLid() || attr.smSl() != before.smSl()) {
      observer.event(EventType.SM_CHANGE, number);
    } else if (active()
        && (attr.activeMtu() != before.activeMtu()
            || attr.bitsPerSecond() != before.bitsPerSecond())) {
      observer.event(EventType.PORT_CHANGE, number);
    }
  }

  /**
   * Sets the LID; raises LID_CHANGE.
   *
   * @param newLid 1 to 0xBFFF, or 0 for none
   * @param lmc LID mask count, 0 to 7
   */
  public synchronized void lid(int newLid, int lmc) {
    boolean changed = newLid != attr.lid() || lmc != attr.lmc();
    attr = attr.toBuilder().lid(newLid).lmc(lmc).build();
    set(newLid, lmc, active());
    if (changed) {
      observer.event(EventType.LID_CHANGE, number);
    }
  }

  /**
   * Sets how many wrong guesses a source may make before it is muted; the counts begin anew.
   *
   * @param limits the limits
   */
  public void guard(GuardLimits limits) {
    guard().limits(limits);
  }

  @Override
  protected void muted() {
    hca.tally().count(number, HcaCounter.SOURCES_MUTED);
    observer.event(EventType.SOURCE_MUTED, number);
  }

  /**
   * Whether a source is muted now, wholly or but for what fits its connections. Any thread, never
   * blocks; counts nothing.
   *
   * @param gidHigh upper half of the source's GID, 0 when it has none
   * @param gidLow lower half, or its LID
   * @return whether it is muted
   */
  public boolean mutes(long gidHigh, long gidLow) {
    return guard().mutes(gidHigh, gidLow);
  }

  /** The subnet manager asks for all subscriptions anew: raises CLIENT_REREGISTER (IBA 14.4.11). */
  public void clientReregister() {
    observer.event(EventType.CLIENT_REREGISTER, number);
  }

  /**
   * Sets the state; raises PORT_ACTIVE or PORT_ERR.
   *
   * @param state logical state
   * @param phys physical state
   */
  public synchronized void state(PortState state, PhysState phys) {
    PortState before = attr.state();
    attr = attr.toBuilder().state(state).physState(phys).build();
    boolean active = state == PortState.ACTIVE;
    set(attr.lid(), attr.lmc(), active);
    if (before != PortState.ACTIVE && active) {
      observer.event(EventType.PORT_ACTIVE, number);
    } else if (before == PortState.ACTIVE && !active) {
      hca.tally().count(number, HcaCounter.LINK_DOWNED);
      observer.event(EventType.PORT_ERR, number);
    }
  }

  /** {@return how often the GID table has changed} */
  public long gidChanges() {
    return tables().gidChanges();
  }

  /** {@return how often the P_Key table has changed} */
  public long pkeyChanges() {
    return tables().pkeyChanges();
  }

  /** {@return the GID at an index, from 0, ZERO when empty; an index outside is refused} */
  public Gid gid(int index) {
    return tables().checkedGid(index);
  }

  /**
   * Writes the GID table; raises GID_CHANGE when the entry was another.
   *
   * @param index from 0
   * @param gid the GID, ZERO to empty the entry
   */
  public synchronized void gid(int index, Gid gid) {
    if (gid(index).equals(gid)) {
      return;
    }
    tables().gid(index, gid);
    observer.event(EventType.GID_CHANGE, number);
  }

  /** {@return the P_Key at an index, from 0, 0 when empty; an index outside is refused} */
  public int pkey(int index) {
    return tables().checkedPkey(index);
  }

  /**
   * Writes the P_Key table; raises PKEY_CHANGE when the entry was another.
   *
   * @param index from 0
   * @param pkey 16 bits, 0 to empty the entry
   */
  public synchronized void pkey(int index, int pkey) {
    if (pkey(index) != pkey) {
      tables().pkey(index, pkey);
      observer.event(EventType.PKEY_CHANGE, number);
    }
  }

  /**
   * Writes the whole P_Key table at once; raises PKEY_CHANGE when it differs from the present one.
   *
   * @param table 16 bits each, at most as many as the table has; the rest is emptied
   */
  public synchronized void pkeys(int... table) {
    if (tables().pkeys(table)) {
      observer.event(EventType.PKEY_CHANGE, number);
    }
  }

  /** {@return the hardware counters with their names, in order, those of the medium last} */
  public Map<String, Long> counters() {
    Map<String, Long> all = hca.tally().named(number);
    all.putAll(wire().counters());
    return all;
  }

  /**
   * Reads the port counters.
   *
   * @param form which attribute
   * @return those that it has, since their last reset
   */
  public Map<PortCounter, Long> counters(PortCounter.Form form) {
    return hca.tally().read(number, form);
  }

  /**
   * Sets port counters to 0.
   *
   * @param form which attribute
   * @param which which counters of it
   */
  public void resetCounters(PortCounter.Form form, Set<PortCounter> which) {
    hca.tally().reset(number, form, which);
  }

  /** Sets the count of Q_Key violations to 0. */
  public void resetQkeyViolations() {
    guard().resetBadQkeys();
  }

  // ---- for queue pairs ----

  @Override
  public Mtu mtu() {
    return attr.activeMtu();
  }

  @Override
  public @Nullable QpCore queuePair(int qpn) {
    return hca.qps.find(qpn);
  }

  @Override
  public void loopBack(Packet packet, RunList run) {
    hca.multicast().deliver(hca, this, packet, true, run);
  }

  @Override
  public void receive(Packet packet, RunContext context) {
    RunList run = (RunList) context;
    int qpn = packet.destQpn;
    QpCore qp;
    if (!active()) {
      drop(packet, HcaCounter.DROP_PORT_DOWN, run);
      return;
    } else if (packet.damaged) {
      drop(packet, HcaCounter.DROP_ICRC, run); // before any state is looked at (F2)
      return;
    } else if (Admission.refuses(guard(), packet, hca.qps)) {
      drop(packet, HcaCounter.DROP_MUTED, run);
      return;
    } else if (qpn == 0xFFFFFF) {
      received(packet);
      hca.tally().count(number, Traffic.RCV_MULTICAST, 1);
      hca.multicast().deliver(hca, this, packet, false, run);
      return;
    } else if (qpn > 1) {
      qp = hca.qps.find(qpn);
    } else {
      qp = specials.at(qpn);
    }
    if (qp == null) {
      received(packet);
      if (qpn <= 1) {
        hca.tally().count(number, qpn == 0 ? Traffic.VL15_DROPPED : Traffic.QP1_DROPPED, 1);
      }
      guard().probe(packet);
      drop(packet, HcaCounter.DROP_NO_QP, run);
    } else if (!qp.takes(packet.opcode)) {
      boolean cnp = packet.opcode == Opcode.CNP;
      received(packet);
      drop(packet, cnp ? HcaCounter.RP_CNP_IGNORED : HcaCounter.DROP_QP_TYPE, run);
    } else {
      qp.deliver(packet, run);
    }
  }

  /** Counts a packet that no queue pair will count. */
  private void received(Packet packet) {
    int packets = Framing.packets(packet);
    hca.tally().count(number, Traffic.RCV_PKTS, packets);
    hca.tally().count(number, Traffic.rcvData(packet.sl), Framing.words(packet, packets));
  }

  @Override
  public void dropped(DropReason reason) {
    hca.tally().count(number, HcaCounter.of(reason));
  }

  @Override
  public void captureDropped() {
    hca.tally().count(number, HcaCounter.CAPTURE_DROPPED);
  }

  private void drop(Packet packet, HcaCounter reason, RunList run) {
    hca.tally().count(number, reason);
    packet.dropped = reason.label();
    packet.release(run);
  }
}
