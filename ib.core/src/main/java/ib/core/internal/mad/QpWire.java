package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PollContext;
import ib.core.verbs.PortAttr;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * PD, CQ, QP0 and QP1 of one port (M2; kernel: ib_mad_port_open), with their buffers in one region.
 * QP0 exists where the link layer is InfiniBand.
 */
final class QpWire implements Wire, AutoCloseable {
  /** Further ones wait in the order in which they came: each place is memory of every port. */
  static final int SENDS = 32;

  /** As Linux: recv_queue_size. */
  static final int RECEIVES = 512;

  private static final String LENGTH = "a datagram that has not 256 bytes";

  private final BoundDevice device;
  private final int port;
  private final Contract contract;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion memory;
  private final @Nullable SpecialQp[] qps = new @Nullable SpecialQp[2];
  private volatile @Nullable MadPort layer;

  QpWire(BoundDevice device, int port, Contract contract) {
    this.device = device;
    this.port = port;
    this.contract = contract;
    boolean smi = device.has(Cap.SMI) && device.port(port).linkLayer() == LinkLayer.INFINIBAND;
    boolean gsi = device.has(Cap.GSI);
    int count = (smi ? 1 : 0) + (gsi ? 1 : 0);
    int wrs = (int) Math.min(RECEIVES, device.attrs().limit(Limit.MAX_QP_WR));
    int sends = Math.min(SENDS, wrs);
    pd = device.allocPd();
    cq = device.allocCq(count * (sends + wrs), 0, PollContext.UNBOUND);
    long each = SpecialQp.bytes(sends + wrs);
    memory = pd.allocMemory(count * each, 64, Access.LOCAL_WRITE);
    if (smi) {
      qps[0] = open(QpType.SMI, 0, sends, wrs);
    }
    if (gsi) {
      qps[1] = open(QpType.GSI, (count - 1) * each, sends, wrs);
    }
  }

  private SpecialQp open(QpType type, long at, int sends, int receives) {
    // a place in the ring is given back a little after its completion was heard: twice as many
    int ring = (int) Math.min(2L * sends, device.attrs().limit(Limit.MAX_QP_WR));
    QpInit init = new QpInit(type, cq, new QpCap(ring, receives, 1, 1, 0)).withPort(port);
    return new SpecialQp(this, pd.createQp(init), memory, at, sends, receives);
  }

  /** Starts to receive; hands datagrams that arrive, or have arrived, to the port's layer. */
  void start(MadPort to) {
    layer = to;
    for (SpecialQp q : qps) {
      if (q != null) {
        QueuePair qp = q.qp;
        int qkey = qp.type() == QpType.SMI ? 0 : WellKnown.QP1_QKEY;
        qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(defaultPartition()).qkey(qkey));
        q.fill();
        qp.modify(new QpAttr().state(QpState.RTR));
        qp.modify(new QpAttr().state(QpState.RTS).sqPsn(0)); // as Linux: MADs have no sequence
      }
    }
  }

  /** {@return where the default partition stands in the table, 0 when it does not} */
  int defaultPartition() {
    return Math.max(0, device.findPkey(port, WellKnown.PKEY_DEFAULT_FULL));
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public boolean has(int qpn) {
    return qps[qpn] != null;
  }

  @Override
  public boolean ownLid(int lid) {
    PortAttr p = device.port(port);
    return lid != 0 && p.lid() != 0 && lid >> p.lmc() == p.lid() >> p.lmc();
  }

  @Override
  public MadVerdict process(MadSource source, MemorySegment in, MemorySegment out) {
    try {
      return device.parts().driver().ops().processMad(port, source, in, out);
    } catch (Throwable e) { // the driver's
      contract.handlerThrew("processMad of " + device.name(), e);
      return MadVerdict.CONSUMED;
    }
  }

  @Override
  public void transmit(int qpn, MemorySegment mad, MadAddress to, Done done) {
    SpecialQp qp = qps[qpn];
    if (qp == null) {
      done.sent("the port has no QP" + qpn);
      return;
    }
    qp.send(mad, to, done);
  }

  /** Handles a completed receive: its bytes, behind 40 bytes for the GRH. */
  void received(int qpn, MemorySegment buffer, WorkCompletion wc) {
    MadPort to = layer;
    int length = wc.byteLen() - WellKnown.GRH_BYTES;
    if (to == null) {
      return;
    }
    if (length != MadHeader.MAD_BYTES) {
      to.refused(Counter.MALFORMED, LENGTH, source(wc, null));
      return;
    }
    byte[] bytes = new byte[MadHeader.MAD_BYTES];
    MemorySegment mad = MemorySegment.ofArray(bytes);
    MemorySegment.copy(buffer, WellKnown.GRH_BYTES, mad, 0, MadHeader.MAD_BYTES);
    AhAttr answer = null;
    try {
      boolean grh = (wc.wcFlags() & WcFlags.GRH) != 0;
      answer = AddressHandle.answer(device, wc, grh ? buffer : null, port);
    } catch (IbInvalidException e) {
      to.count(Counter.UNROUTED); // sent to a GID that the port has no more: cannot be answered
    }
    to.arrived(qpn, Mad.of(mad), source(wc, answer));
  }

  private MadSource source(WorkCompletion wc, @Nullable AhAttr answer) {
    return new MadSource(port, false, wc.slid(), wc.sl(), wc.srcQp(), wc.pkeyIndex(), answer);
  }

  /** Counts a receive buffer that could not be posted again, unless the QP is being removed. */
  void starved(int qpn) {
    SpecialQp q = qps[qpn];
    MadPort to = layer;
    if (to != null && q != null && q.qp.state() == QpState.RTS) {
      to.count(Counter.RECEIVE_ERRORS);
    }
  }

  /** Runs something on the port's queue. */
  void run(Runnable what) {
    MadPort to = layer;
    if (to != null) {
      to.run(what);
    }
  }

  /** {@return whether all datagrams that were given to it have left; any thread} */
  boolean isIdle() {
    return Stream.of(qps).allMatch(q -> q == null || q.isIdle());
  }

  /**
   * Ends the queue pairs and their callbacks, which read and write the memory, and refuses further
   * sends. Afterwards the port's queue is fenced, then this is closed.
   */
  void stop() {
    for (SpecialQp q : qps) {
      if (q != null) {
        q.close();
      }
    }
    cq.close();
    for (SpecialQp q : qps) {
      if (q != null) {
        run(q::end);
      }
    }
  }

  /** Gives the memory back, which no thread uses any more. */
  @Override
  public void close() {
    memory.close();
    pd.close();
  }
}
