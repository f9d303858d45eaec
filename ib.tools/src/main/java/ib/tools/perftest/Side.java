package ib.tools.perftest;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import ib.tools.run.Made;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of one end. As in perftest, the memory has a send area and a receive area of at
 * least 4096 bytes for each queue pair. For the run's thread only.
 */
final class Side implements AutoCloseable {
  static final int QKEY = 0x11111111;
  private static final int CYCLE_BUFFER = 4096;
  private static final int GRH_ROOM = 64;
  private static final int GRH = WellKnown.GRH_BYTES;
  private static final String NO_AH = "Failed to create AH";
  private static final int HOP_LIMIT = 0xff;
  private static final int MIN_RNR_TIMER = 12;

  private final PerftestOptions options;
  private final IbDevice device;
  private final int number; // of the port
  private final int gidIndex;
  private final Made made = new Made();
  private final PortAttr port;
  private final int area;
  final Semaphore wakeUp;
  final MemoryRegion region;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;
  final List<QueuePair> qps = new ArrayList<>();
  final List<Key> keys = new ArrayList<>();
  final List<Key> remotes = new ArrayList<>();
  private final ProtectionDomain pd;
  private final List<Peer> peers = new ArrayList<>();

  /** Where a queue pair of type UD sends to. */
  record Peer(AddressHandle ah, int qpn, int qkey) {}

  /** A port of a device, and the index of the GID in use; a negative index for the default. */
  record Place(IbDevice device, int port, int gidIndex) {}

  /** Makes all but the queue pairs. */
  Side(Place at, PerftestOptions options, Semaphore wakeUp) {
    device = at.device;
    number = at.port;
    gidIndex = at.gidIndex;
    this.options = options;
    this.wakeUp = wakeUp;
    boolean complete = false;
    try {
      port = Made.attempt("Unable to query port " + number, () -> device.queryPort(number));
      area = Math.max(CYCLE_BUFFER, options.sizeMax()) + GRH_ROOM;
      int access =
          Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
      long bytes = 2L * area * options.queuePairs();
      pd = made.make("Couldn't allocate PD", device::allocPd);
      region = made.make("Couldn't allocate MR", () -> pd.allocMemory(bytes, CYCLE_BUFFER, access));
      sendCq = cq(options.txDepth());
      recvCq = cq(options.rxDepth());
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** Makes the queue pairs, which this side moves and closes. */
  void open() {
    for (int i = 0; i < options.queuePairs(); i++) {
      QueuePair qp = made.make("Couldn't create QP", this::newQp);
      qps.add(qp);
      modify(i, "INIT", init());
      keys.add(key(qp));
    }
  }

  /** Takes a connected queue pair, which its connection closes. */
  void take(QueuePair connected) {
    qps.add(connected);
    keys.add(key(connected));
  }

  private CompletionQueue cq(int depth) {
    int entries = Math.max(1, depth * options.queuePairs());
    CqInit init =
        options.events()
            ? new CqInit(entries, (queue, context) -> wakeUp.release(), null)
            : new CqInit(entries);
    return made.make("Couldn't create CQ", () -> device.createCq(init));
  }

  /** {@return a new queue pair in state RESET, which the caller closes} */
  QueuePair newQp() {
    int receives = options.receives() ? options.rxDepth() : 0;
    QpCap cap = new QpCap(options.txDepth(), receives, 1, 1, options.inline());
    return pd.createQp(new QpInit(options.type(), sendCq, cap).withRecvCq(recvCq));
  }

  private QpAttr init() {
    QpAttr attr = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(number);
    return options.type() == QpType.UD
        ? attr.qkey(QKEY)
        : attr.accessFlags(options.tool().verb.access);
  }

  private Key key(QueuePair qp) {
    Gid gid =
        gidIndex() < 0
            ? null
            : Made.attempt(
                "can't read sgid of index " + gidIndex(), () -> device.gid(number, gidIndex()));
    return new Key(
        port.lid(),
        outstanding(),
        qp.qpn(),
        QueuePair.randomPsn(),
        options.tool().verb == Tool.Verb.SEND ? 0 : region.rkey(),
        region.iova() + receiveOffset(keys.size()),
        gid);
  }

  /** {@return the GID index in use; -1 for none, which never occurs on Ethernet} */
  int gidIndex() {
    return gidIndex < 0 && ethernet() ? 0 : gidIndex;
  }

  boolean ethernet() {
    return port.linkLayer() == LinkLayer.ETHERNET;
  }

  /** {@return the MTU to offer} */
  Mtu mtu() {
    Mtu wanted = options.mtu();
    Mtu active = port.activeMtu();
    return wanted == null || wanted.value() > active.value() ? active : wanted;
  }

  /** {@return the number of RDMA reads and atomics that this end serves at a time} */
  int outstanding() {
    if (!options.tool().verb.answered()) {
      return 1;
    }
    int most = (int) Math.min(255, device.attrs().limit(Limit.MAX_QP_RD_ATOM));
    return options.outstanding() == 0 ? most : Math.min(most, options.outstanding());
  }

  /** {@return the offset in the region of the messages that a queue pair sends, or reads} */
  long sendOffset(int i) {
    return (long) area * i;
  }

  /**
   * {@return the offset in the region of the messages that a queue pair receives, after the space
   * for a GRH}
   */
  long receiveOffset(int i) {
    return (long) area * (options.queuePairs() + i) + (options.type() == QpType.UD ? GRH_ROOM : 0);
  }

  /** Posts a receive for a message of a queue pair, with space for a GRH where one comes. */
  void postReceive(QueuePair qp, int i, int length) {
    int grh = options.type() == QpType.UD ? GRH : 0;
    long address = region.iova() + receiveOffset(i) - grh;
    int rc = qp.postReceive(i, region.lkey(), address, length + grh);
    if (rc != PostStatus.OK) {
      throw new CommandException("Couldn't post recv Qp = " + i + ", " + rc);
    }
  }

  /** {@return where a queue pair of type UD sends to; null for other types} */
  @Nullable Peer peer(int i) {
    return options.type() == QpType.UD && i < peers.size() ? peers.get(i) : null;
  }

  /** A queue pair of type UD sends to a service that has answered. */
  void aim(AhAttr way, int qpn, int qkey) {
    peers.add(new Peer(made.make(NO_AH, () -> pd.createAh(way)), qpn, qkey));
  }

  /** A queue pair of type UD sends to where a datagram of {@link #receiveOffset} came from. */
  void aimBack(WorkCompletion wc, int qkey) {
    MemorySegment grh = region.segment().asSlice(receiveOffset(peers.size()) - GRH, GRH);
    AddressHandle ah = made.make(NO_AH, () -> pd.createAhFromCompletion(wc, grh, number));
    peers.add(new Peer(ah, wc.immData(), qkey));
  }

  /** Moves all queue pairs to RTS. */
  void connect(Mtu mtu) {
    for (int i = 0; i < qps.size(); i++) {
      connect(i, mtu);
      if (options.type() == QpType.UD) {
        aim(path(remotes.get(i)), remotes.get(i).qpn(), QKEY);
      }
    }
  }

  private void connect(int i, Mtu mtu) {
    Key mine = keys.get(i);
    Key theirs = remotes.get(i);
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(mine.psn());
    if (options.type() != QpType.UD) {
      rtr.av(Made.attempt("Failed to modify QP to RTR", () -> path(theirs)));
      rtr.pathMtu(mtu).destQpn(theirs.qpn()).rqPsn(theirs.psn());
    }
    if (options.type() == QpType.RC) {
      int most = (int) device.attrs().limit(Limit.MAX_QP_INIT_RD_ATOM);
      rtr.maxDestRdAtomic(mine.outstanding()).minRnrTimer(MIN_RNR_TIMER);
      rts.timeout(options.timeout()).retryCount(7).rnrRetry(WellKnown.RNR_RETRY_INFINITE);
      rts.maxRdAtomic(Math.clamp(theirs.outstanding(), 1, most));
    }
    modify(i, "RTR", rtr);
    modify(i, "RTS", rts);
  }

  private AhAttr path(Key remote) {
    GlobalRoute route =
        remote.gid() == null ? null : new GlobalRoute(remote.gid(), 0, gidIndex(), HOP_LIMIT, 0);
    return new AhAttr(remote.lid(), options.sl(), 0, 0, number, route);
  }

  private void modify(int i, String state, QpAttr attr) {
    Made.attempt(
        "Failed to modify QP " + qps.get(i).qpn() + " to " + state,
        () -> {
          qps.get(i).modify(attr);
          return attr;
        });
  }

  @Override
  public void close() {
    made.close();
  }
}
