package ib.tools.pingpong;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PortAttr;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WellKnown;
import ib.tools.getopt.CommandException;
import ib.tools.run.Made;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of one end, from the protection domain to queue pairs in RTS. For the run's
 * thread only.
 */
final class Endpoint implements AutoCloseable {
  // not 14 as in the original, which is below the ACK delay 2^15 of rdma_rxe (IBA 9.7.6.1.3)
  private static final int TIMEOUT = 16;
  private static final int PAGE = 4096;
  private static final int QKEY = 0x11111111;

  private final Settings settings;
  private final IbDevice device;
  private final Made made = new Made();
  private final ProtectionDomain pd;
  final MemoryRegion region;
  final Payload payload;
  final CompletionQueue cq;
  final List<QueuePair> qps = new ArrayList<>();
  final @Nullable SharedReceiveQueue srq;

  /** The address of each queue pair. */
  final List<Address> locals = new ArrayList<>();

  private @Nullable AddressHandle ah;
  private int remoteQpn;

  /**
   * Creates the objects of an end, with queue pairs in INIT.
   *
   * @param device the client's handle
   * @param settings settings of the run
   * @param wakeUp released by completion events
   * @throws CommandException in the words of the original, when an object cannot be created
   */
  Endpoint(IbDevice device, Settings settings, Semaphore wakeUp) {
    this.device = device;
    this.settings = settings;
    boolean complete = false;
    try {
      checkMtu();
      pd = made.make("Couldn't allocate PD", device::allocPd);
      checkModes();
      int bytes = Math.max(1, settings.size() + headroom());
      region =
          made.make("Couldn't register MR", () -> pd.allocMemory(bytes, PAGE, Access.LOCAL_WRITE));
      payload = new Payload(region.segment(), headroom(), settings.size());
      cq = made.make("Couldn't create CQ", () -> device.createCq(cqInit(wakeUp)));
      srq = settings.kind() == Kind.SRQ ? made.make("Couldn't create SRQ", this::shared) : null;
      createQps();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private SharedReceiveQueue shared() {
    return pd.createSrq(new SrqInit(new SrqAttr(settings.rxDepth(), 1, 0), null, null));
  }

  private void createQps() {
    QpCap cap = new QpCap(1, srq == null ? settings.rxDepth() : 0, 1, srq == null ? 1 : 0, 0);
    QpInit init = new QpInit(type(), cq, cap).withSrq(srq);
    for (int i = 0; i < settings.queuePairs(); i++) {
      qps.add(made.make("Couldn't create " + named(i), () -> pd.createQp(init)));
      modify(i, "INIT", initAttr());
    }
    qps.forEach(qp -> locals.add(address(qp)));
  }

  private QpType type() {
    return settings.kind().type;
  }

  /** {@return the name of a queue pair in the programs' messages} */
  private String named(int i) {
    return srq == null ? "QP" : "QP[" + i + "]";
  }

  private int headroom() {
    return type() == QpType.UD ? WellKnown.GRH_BYTES : 0; // IBA 11.4.1.2
  }

  private CqInit cqInit(Semaphore wakeUp) {
    int entries = settings.rxDepth() + settings.queuePairs();
    return settings.modes().events()
        ? new CqInit(entries, (queue, context) -> wakeUp.release(), null)
        : new CqInit(entries);
  }

  private void checkMtu() {
    if (type() != QpType.UD) {
      return;
    }
    int port = settings.ibPort();
    PortAttr attr =
        Made.attempt("Unable to query port info for port " + port, () -> device.queryPort(port));
    int mtu = attr.activeMtu().bytes();
    if (settings.size() > mtu) {
      throw new CommandException("Requested size larger than port MTU (" + mtu + ")");
    }
  }

  private void checkModes() {
    if (settings.modes().odp()) {
      throw new CommandException(
          "The device isn't ODP capable or does not support RC send and receive with ODP");
    }
    if (settings.modes().deviceMemory()) {
      throw new CommandException("Device doesn't support dm allocation");
    }
  }

  private QpAttr initAttr() {
    QpAttr attr = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(settings.ibPort());
    return type() == QpType.UD ? attr.qkey(QKEY) : attr.accessFlags(0);
  }

  private PortAttr port() {
    return Made.attempt("Couldn't get port info", () -> device.queryPort(settings.ibPort()));
  }

  /** {@return whether the port is a RoCE port, whose peers are other hosts} */
  boolean ethernet() {
    return port().linkLayer() == LinkLayer.ETHERNET;
  }

  private Address address(QueuePair qp) {
    PortAttr port = port();
    boolean needsLid = !ethernet() && type() != QpType.UD;
    if (needsLid && port.lid() == 0) {
      throw new CommandException("Couldn't get local LID");
    }
    int index = settings.gidIndex();
    String noGid =
        type() == QpType.UD
            ? "Could not get local gid for gid index " + index
            : "can't read sgid of index " + index;
    Gid gid =
        index < 0 ? Gid.ZERO : Made.attempt(noGid, () -> device.gid(settings.ibPort(), index));
    int psn = QueuePair.randomPsn();
    return new Address(port.lid(), qp.qpn(), psn, gid);
  }

  /** {@return the peer's address handle; null unless UD and connected} */
  @Nullable AddressHandle ah() {
    return ah;
  }

  /** {@return the peer's queue pair number} */
  int remoteQpn() {
    return remoteQpn;
  }

  /** {@return the Q_Key of both ends} */
  int qkey() {
    return QKEY;
  }

  /** Moves all queue pairs to RTR and RTS, connected to the peer. */
  void connect(List<Address> remotes) {
    for (int i = 0; i < qps.size(); i++) {
      connect(i, remotes.get(i));
    }
    if (type() == QpType.UD) {
      remoteQpn = remotes.getFirst().qpn();
      ah = made.make("Failed to create AH", () -> pd.createAh(path(remotes.getFirst(), 64)));
    }
  }

  private void connect(int i, Address remote) {
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(locals.get(i).psn());
    if (type() != QpType.UD) {
      AhAttr av = Made.attempt("Failed to modify " + named(i) + " to RTR", () -> path(remote, 1));
      rtr.av(av).pathMtu(settings.mtu()).destQpn(remote.qpn()).rqPsn(remote.psn());
    }
    if (type() == QpType.RC) {
      rtr.maxDestRdAtomic(1).minRnrTimer(12);
      rts.timeout(TIMEOUT).retryCount(7).rnrRetry(WellKnown.RNR_RETRY_INFINITE).maxRdAtomic(1);
    }
    modify(i, "RTR", rtr);
    modify(i, "RTS", rts);
  }

  private AhAttr path(Address remote, int hopLimit) {
    GlobalRoute route =
        remote.gid().interfaceId() == 0
            ? null
            : new GlobalRoute(remote.gid(), 0, settings.gidIndex(), hopLimit, 0);
    return new AhAttr(remote.lid(), settings.sl(), 0, 0, settings.ibPort(), route);
  }

  private void modify(int i, String state, QpAttr attr) {
    Made.attempt(
        "Failed to modify " + named(i) + " to " + state,
        () -> {
          qps.get(i).modify(attr);
          return attr;
        });
  }

  /** Posts a receive of a whole message. {@return the post status} */
  int postReceive(long wrId) {
    int bytes = payload.offset + payload.size;
    return srq == null
        ? qps.getFirst().postReceive(wrId, region.lkey(), region.iova(), bytes)
        : srq.postReceive(wrId, region.lkey(), region.iova(), bytes);
  }

  /** {@return the index of the queue pair with a number} */
  int indexOf(int qpn) {
    for (int i = 0; i < qps.size(); i++) {
      if (qps.get(i).qpn() == qpn) {
        return i;
      }
    }
    throw new CommandException("Completion for unknown QP 0x" + Integer.toHexString(qpn));
  }

  @Override
  public void close() {
    made.close();
  }
}
