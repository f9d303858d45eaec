package ib.tools.pingpong;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
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
import ib.core.verbs.WellKnown;
import ib.tools.getopt.CommandException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One end: its verbs objects, from the protection domain to a queue pair in RTS. */
final class Endpoint implements AutoCloseable {
  private static final int PAGE = 4096;
  private static final int QKEY = 0x11111111;

  private final Settings settings;
  private final IbDevice device;
  private final Deque<AutoCloseable> made = new ArrayDeque<>();
  private final ProtectionDomain pd;
  final MemoryRegion region;
  final Payload payload;
  final CompletionQueue cq;
  final QueuePair qp;
  private final Address local;
  private @Nullable AddressHandle ah;
  private int remoteQpn;

  /**
   * Makes an end, in INIT.
   *
   * @param device the handle to make it through
   * @param settings what the command line asks for
   * @param wakeUp released when a completion is announced
   * @throws CommandException in the words of the original, when something cannot be made
   */
  Endpoint(IbDevice device, Settings settings, Semaphore wakeUp) {
    this.device = device;
    this.settings = settings;
    boolean complete = false;
    try {
      checkMtu();
      pd = make("Couldn't allocate PD", device::allocPd);
      checkModes();
      int bytes = Math.max(1, settings.size() + headroom());
      region = make("Couldn't register MR", () -> pd.allocMemory(bytes, PAGE, Access.LOCAL_WRITE));
      payload = new Payload(region.segment(), headroom(), settings.size());
      cq = make("Couldn't create CQ", () -> device.createCq(cqInit(wakeUp)));
      QpCap cap = new QpCap(1, settings.rxDepth(), 1, 1, 0);
      qp = make("Couldn't create QP", () -> pd.createQp(new QpInit(settings.type(), cq, cap)));
      modify("INIT", initAttr());
      local = address();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private int headroom() {
    return settings.type() == QpType.UD ? WellKnown.GRH_BYTES : 0; // IBA 11.4.1.2
  }

  private CqInit cqInit(Semaphore wakeUp) {
    int entries = settings.rxDepth() + 1;
    return settings.modes().events()
        ? new CqInit(entries, (queue, context) -> wakeUp.release(), null)
        : new CqInit(entries);
  }

  private void checkMtu() {
    if (settings.type() != QpType.UD) {
      return;
    }
    int port = settings.ibPort();
    PortAttr attr =
        attempt("Unable to query port info for port " + port, () -> device.queryPort(port));
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
    return settings.type() == QpType.UD ? attr.qkey(QKEY) : attr.accessFlags(0);
  }

  private Address address() {
    PortAttr port = attempt("Couldn't get port info", () -> device.queryPort(settings.ibPort()));
    boolean needsLid = port.linkLayer() != LinkLayer.ETHERNET && settings.type() != QpType.UD;
    if (needsLid && port.lid() == 0) {
      throw new CommandException("Couldn't get local LID");
    }
    int index = settings.gidIndex();
    String noGid =
        settings.type() == QpType.UD
            ? "Could not get local gid for gid index " + index
            : "can't read sgid of index " + index;
    Gid gid = index < 0 ? Gid.ZERO : attempt(noGid, () -> device.gid(settings.ibPort(), index));
    int psn = QueuePair.randomPsn();
    return new Address(port.lid(), qp.qpn(), psn, gid);
  }

  /** {@return where this end can be reached} */
  Address local() {
    return local;
  }

  /** {@return the peer's address handle, null unless UD and connected} */
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

  /** Gets ready to receive from and send to the peer: RTR, then RTS. */
  void connect(Address remote) {
    remoteQpn = remote.qpn();
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(local.psn());
    if (settings.type() != QpType.UD) {
      AhAttr av = attempt("Failed to modify QP to RTR", () -> path(remote, 1));
      rtr.av(av).pathMtu(settings.mtu()).destQpn(remote.qpn()).rqPsn(remote.psn());
    }
    if (settings.type() == QpType.RC) {
      rtr.maxDestRdAtomic(1).minRnrTimer(12);
      rts.timeout(14).retryCount(7).rnrRetry(WellKnown.RNR_RETRY_INFINITE).maxRdAtomic(1);
    }
    modify("RTR", rtr);
    modify("RTS", rts);
    if (settings.type() == QpType.UD) {
      ah = make("Failed to create AH", () -> pd.createAh(path(remote, 64)));
    }
  }

  private AhAttr path(Address remote, int hopLimit) {
    GlobalRoute route =
        remote.gid().interfaceId() == 0
            ? null
            : new GlobalRoute(remote.gid(), 0, settings.gidIndex(), hopLimit, 0);
    return new AhAttr(remote.lid(), settings.sl(), 0, 0, settings.ibPort(), route);
  }

  private void modify(String state, QpAttr attr) {
    attempt(
        "Failed to modify QP to " + state,
        () -> {
          qp.modify(attr);
          return attr;
        });
  }

  private <T extends AutoCloseable> T make(String failure, Supplier<T> maker) {
    T object = attempt(failure, maker);
    made.push(object);
    return object;
  }

  private static <T> T attempt(String failure, Supplier<T> action) {
    try {
      return action.get();
    } catch (IbException e) {
      throw new CommandException(failure, e);
    }
  }

  /** Closes what was made, last first; what the core has destroyed already is no failure. */
  @Override
  public void close() {
    CommandException failure = null;
    while (!made.isEmpty()) {
      AutoCloseable object = made.pop();
      try {
        object.close();
      } catch (IbDisassociatedException e) {
        continue;
      } catch (Exception e) {
        failure = failure == null ? new CommandException("Couldn't destroy " + object, e) : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
