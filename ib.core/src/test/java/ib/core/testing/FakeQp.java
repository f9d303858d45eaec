package ib.core.testing;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbEvent;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrBuilder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A queue pair of a {@link FakeDevice}: posted sends complete and go nowhere. */
public final class FakeQp extends QueuePair {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();
  private final Queue<WorkCompletion> sends = new ConcurrentLinkedQueue<>();
  private final Queue<WorkCompletion> receives = new ConcurrentLinkedQueue<>();
  private final List<WorkCompletion> batch = new ArrayList<>();
  private final QpAttr attrs = new QpAttr();
  private volatile QpState state = QpState.RESET;
  private long wrId;
  private @Nullable Cqe cqe;

  FakeQp(ObjectControl control, FakeDevice device, QpInit init) {
    super(control, init);
    this.device = device;
    device.born(Kind.QP);
  }

  @Override
  public int qpn() {
    device.touch(deaths);
    return 0x4df286 + (int) id();
  }

  @Override
  public QpState state() {
    device.touch(deaths);
    return state;
  }

  @Override
  public QpCap cap() {
    return init().cap();
  }

  @Override
  public int postSend(SendWr first) {
    device.faults().hit("postSend");
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    for (SendWr wr = first; wr != null; wr = wr.next()) {
      sends.add(completion(wr.wrId(), wr.cqe(), WcOpcode.SEND));
    }
    return posted();
  }

  @Override
  public int postReceive(RecvWr first) {
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    for (RecvWr wr = first; wr != null; wr = wr.next()) {
      receives.add(completion(wr.wrId(), wr.cqe(), WcOpcode.RECV));
    }
    return PostStatus.OK;
  }

  @Override
  public int postReceive(long id, int lkey, long address, int length) {
    return receive(id, null);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return receive(0, cqe);
  }

  private int receive(long id, @Nullable Cqe callback) {
    device.faults().hit("postReceive");
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    receives.add(completion(id, callback, WcOpcode.RECV));
    return PostStatus.OK;
  }

  private WorkCompletion completion(long id, @Nullable Cqe callback, WcOpcode opcode) {
    return new WorkCompletion().wrId(id).cqe(callback).opcode(opcode).qpn(qpn());
  }

  private int posted() {
    if (state == QpState.ERR && !device.neverFlush) {
      flush();
    } else if (device.completeOnPost) {
      completeSends();
    }
    return PostStatus.OK;
  }

  /** Completes all sends that are waiting. */
  public void completeSends() {
    drainInto(sends, (FakeCq) init().sendCq(), WcStatus.SUCCESS);
  }

  /** Completes all receives that are waiting. */
  public void completeReceives() {
    drainInto(receives, (FakeCq) init().recvCq(), WcStatus.SUCCESS);
  }

  private void flush() {
    drainInto(sends, (FakeCq) init().sendCq(), WcStatus.WR_FLUSH_ERR);
    drainInto(receives, (FakeCq) init().recvCq(), WcStatus.WR_FLUSH_ERR);
  }

  private static void drainInto(Queue<WorkCompletion> queue, FakeCq cq, WcStatus status) {
    for (WorkCompletion wc = queue.poll(); wc != null; wc = queue.poll()) {
      cq.complete(wc.status(status));
    }
  }

  @Override
  public WrBuilder wrStart() {
    batch.clear();
    return this;
  }

  @Override
  public QueuePair wrId(long id) {
    wrId = id;
    return this;
  }

  @Override
  public QueuePair wrFlags(int flags) {
    return this;
  }

  @Override
  public QueuePair wrCqe(Cqe callback) {
    cqe = callback;
    return this;
  }

  @Override
  public WrBuilder wrSend() {
    batch.add(completion(wrId, cqe, WcOpcode.SEND));
    return this;
  }

  @Override
  public WrBuilder wrSendImm(int immData) {
    wrSend();
    return this;
  }

  @Override
  public WrBuilder wrRdmaWrite(int rkey, long remoteAddress) {
    batch.add(completion(wrId, cqe, WcOpcode.RDMA_WRITE));
    return this;
  }

  @Override
  public WrBuilder wrRdmaWriteImm(int rkey, long remoteAddress, int immData) {
    wrRdmaWrite(rkey, remoteAddress);
    return this;
  }

  @Override
  public WrBuilder wrRdmaRead(int rkey, long remoteAddress) {
    batch.add(completion(wrId, cqe, WcOpcode.RDMA_READ));
    return this;
  }

  @Override
  public WrBuilder wrSendTso(MemorySegment header, long offset, int headerLength, int mss) {
    batch.add(completion(wrId, cqe, WcOpcode.LSO));
    return this;
  }

  @Override
  public WrBuilder wrSendInv(int invalidateRkey) {
    wrSend();
    return this;
  }

  @Override
  public WrBuilder wrAtomicCmpSwp(int rkey, long remoteAddress, long compare, long swap) {
    batch.add(completion(wrId, cqe, WcOpcode.COMP_SWAP));
    return this;
  }

  @Override
  public WrBuilder wrAtomicFetchAdd(int rkey, long remoteAddress, long add) {
    batch.add(completion(wrId, cqe, WcOpcode.FETCH_ADD));
    return this;
  }

  @Override
  public WrBuilder wrAtomicWrite(int rkey, long remoteAddress, long value) {
    batch.add(completion(wrId, cqe, WcOpcode.ATOMIC_WRITE));
    return this;
  }

  @Override
  public WrBuilder wrFlush(int rkey, long remoteAddress, long length, int type, int level) {
    batch.add(completion(wrId, cqe, WcOpcode.FLUSH));
    return this;
  }

  @Override
  public WrBuilder wrBindMw(
      MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access) {
    batch.add(completion(wrId, cqe, WcOpcode.BIND_MW));
    return this;
  }

  @Override
  public WrBuilder wrLocalInv(int rkey) {
    batch.add(completion(wrId, cqe, WcOpcode.LOCAL_INV));
    return this;
  }

  @Override
  public WrBuilder wrRegMr(MemoryRegion region, int key, int access) {
    batch.add(completion(wrId, cqe, WcOpcode.REG_MR));
    return this;
  }

  @Override
  public WrBuilder wrSetUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    return this;
  }

  @Override
  public WrBuilder wrSetSge(int lkey, long address, int length) {
    return this;
  }

  @Override
  public WrBuilder wrAddSge(int lkey, long address, int length) {
    return this;
  }

  @Override
  public WrBuilder wrSetInline(MemorySegment data, long offset, int length) {
    return this;
  }

  @Override
  public int wrComplete() {
    device.faults().hit("postSend");
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    sends.addAll(batch);
    batch.clear();
    return posted();
  }

  @Override
  public void wrAbort() {
    batch.clear();
  }

  @Override
  protected void doModify(QpAttr attr, QpState to) {
    device.faults().hit("doModify");
    state = to;
    if (to == QpState.ERR && !device.neverFlush) {
      flush();
      if (init().srq() != null) {
        event(EventType.QP_LAST_WQE_REACHED);
      }
    }
    if (to == QpState.RESET) {
      sends.clear();
      receives.clear();
    }
  }

  /**
   * Raises an event.
   *
   * @param type of a queue pair
   */
  public void event(EventType type) {
    EventHandler handler = init().eventHandler();
    if (device.callsEventHandlersDirectly && handler != null) {
      handler.handle(new IbEvent(device(), type, this, 0, 0, System.nanoTime()), init().context());
    } else {
      raise(type);
    }
  }

  @Override
  protected QpAttr doQuery() {
    device.faults().hit("doQuery");
    return attrs.copy().state(state);
  }

  @Override
  protected int outstanding() {
    return sends.size() + receives.size();
  }

  @Override
  protected void doAttachMulticast(Gid group, int mlid) {
    device.faults().hit("doAttachMulticast");
  }

  @Override
  protected void doDetachMulticast(Gid group, int mlid) {
    device.faults().hit("doDetachMulticast");
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.QP, deaths);
  }
}
