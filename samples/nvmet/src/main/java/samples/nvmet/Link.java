package samples.nvmet;

import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.Cqe;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;

/**
 * The connection of one NVMe queue: it receives capsules and hands each to a {@link Task}. Its
 * memory is fixed when the queue pair is made: {@code depth} receives, and as many tasks.
 *
 * <p>What is not volatile is of the thread of the completion queue, which runs one callback at a
 * time; {@link #make} and {@link #initialized} run before it.
 */
final class Link implements QpFactory, RdmaHandler {
  private final Target target;
  private final Greeting greeting;
  private final InetSocketAddress local;
  private final InetSocketAddress peer;
  private final long madeAtNs;

  private Share share;
  private CompletionQueue cq;
  private MemoryRegion area;
  private volatile QueuePair qp;
  private Cqe[] slots;
  private int slotBytes;
  private int head; // of the host's queue: commands taken so far, modulo its length
  private int sqSize;
  private boolean flowControl = true;
  private boolean connecting;
  private final ArrayDeque<Task> idle = new ArrayDeque<>();
  private final ArrayDeque<Long> waiting = new ArrayDeque<>(); // slot << 32 | bytes

  private volatile Controller controller;
  private volatile RdmaConnection connection;
  private volatile boolean failed;

  /**
   * Makes the link of a request to connect.
   *
   * @param target whose queue it is
   * @param greeting what the host says of the queue
   * @param local address and port that the host connects to
   * @param peer of the host
   */
  Link(Target target, Greeting greeting, InetSocketAddress local, InetSocketAddress peer) {
    this.target = target;
    this.greeting = greeting;
    this.local = local;
    this.peer = peer;
    this.madeAtNs = target.nowNs();
    this.sqSize = greeting.depth();
  }

  // ---- queue pair and memory ----

  @Override
  public QueuePair make(IbDevice device, int port) {
    int depth = greeting.depth();
    // a task posts a READ, and when that is done a WRITE with the response behind it
    QpCap cap = new QpCap(2 * depth, depth, 1, 1, 0);
    boolean made = false;
    share = target.shares().take(device);
    try {
      int vector = greeting.qid() % device.completionVectors();
      cq = device.allocCq(3 * depth, vector, PollContext.UNBOUND);
      slotBytes = Capsule.COMMAND + (greeting.isAdmin() ? 0 : Limits.IN_CAPSULE);
      long responses = (long) depth * slotBytes;
      long pages = responses + (long) depth * Capsule.RESPONSE;
      long bytes = pages + (long) (greeting.isAdmin() ? depth : 1) * Capsule.PAGE;
      area = share.pd().allocMemory(bytes, Capsule.PAGE, Access.LOCAL_WRITE);
      slots = new Cqe[depth];
      for (int i = 0; i < depth; i++) {
        int slot = i;
        slots[i] = (queue, wc) -> received(slot, wc);
        long page = pages + (greeting.isAdmin() ? (long) i * Capsule.PAGE : 0);
        idle.add(new Task(this, area, responses + (long) i * Capsule.RESPONSE, page));
      }
      qp = share.pd().createQp(new QpInit(QpType.RC, cq, cap));
      made = true;
      return qp;
    } finally {
      if (!made) {
        release();
      }
    }
  }

  @Override
  public void initialized(QueuePair initialized) {
    for (int i = 0; i < slots.length; i++) {
      receive(i);
    }
  }

  @Override
  public byte[] data(RdmaOptions options) {
    return greeting.answer();
  }

  @Override
  public void destroyed(QueuePair destroyed) {
    release();
  }

  private void release() {
    if (cq != null) {
      cq.close();
    }
    if (area != null) {
      area.close();
    }
    target.shares().giveBack(share);
  }

  // ---- the connection ----

  @Override
  public void established(RdmaConnection made) {
    accepted(made);
  }

  /** The connection is known; it may have failed already. */
  void accepted(RdmaConnection made) {
    connection = made;
    if (failed) {
      made.disconnect();
    }
  }

  @Override
  public void ended(RdmaConnection made, RdmaEnd end) {
    try {
      target.gone(this, end);
    } finally {
      made.close();
    }
  }

  /** Ends the connection because of a fault, once. */
  void fail(String reason) {
    if (!failed) {
      refused(reason);
      disconnect();
    }
  }

  /** Ends the connection. */
  void disconnect() {
    failed = true;
    RdmaConnection made = connection;
    if (made != null) {
      made.disconnect();
    }
  }

  /** A request has failed, and the queue pair with it. */
  void broken(WorkCompletion wc) {
    if (wc.status() != WcStatus.WR_FLUSH_ERR) {
      fail("completed with " + wc.status());
    }
  }

  void refused(String reason) {
    target.incidents().refused(reason, this::toString);
  }

  // ---- capsules ----

  /** Posts the receive of a slot. */
  void receive(int slot) {
    long at = area.iova() + (long) slot * slotBytes;
    int status = qp.postReceive(slots[slot], area.lkey(), at, slotBytes);
    if (status != PostStatus.OK) {
      fail("receive not posted: " + PostStatus.text(status));
    }
  }

  private void received(int slot, WorkCompletion wc) {
    if (wc.status() != WcStatus.SUCCESS) {
      broken(wc);
      return;
    }
    RdmaConnection made = connection;
    if (made != null && !made.isOpen()) {
      made.dataArrived(); // the RTU is late, or lost
    }
    // there is no command id to answer to
    if (wc.wcFlags() != 0 || wc.byteLen() < Capsule.COMMAND) {
      fail("no capsule: " + (wc.wcFlags() == 0 ? "too short" : "with immediate data"));
      return;
    }
    head = (head + 1) % sqSize;
    waiting.add((long) slot << 32 | wc.byteLen());
    serve();
  }

  /** A task is idle again. */
  void ended(Task task) {
    idle.add(task);
    serve();
  }

  /** Serves what waits; a task whose response is not acknowledged yet may be what it waits for. */
  private void serve() {
    while (!failed && !waiting.isEmpty() && !idle.isEmpty()) {
      long next = waiting.remove();
      int slot = (int) (next >>> 32);
      Task task = idle.remove();
      task.begin(slot, (long) slot * slotBytes, (int) next);
      turn(task, Dispatch::execute);
    }
  }

  /** Runs a step of a command; what it throws is counted, and is the end of this connection. */
  void turn(Task task, Task.Step step) {
    try {
      Controller mine = controller;
      if (mine != null) {
        mine.heard(target.nowNs());
      }
      step.run(task);
    } catch (RuntimeException e) {
      target.incidents().outlived(e);
      fail("a command has thrown");
    }
  }

  // ---- the NVMe queue ----

  /** Begins a Connect command; {@return whether it may: it comes once} */
  boolean beginConnect() {
    boolean first = !connecting && controller == null;
    connecting = true;
    return first;
  }

  /** The Connect command was refused; the host may send another. */
  void connectRefused() {
    connecting = false;
  }

  /** The queue belongs to a controller from now on. */
  void connected(Controller to, int size, boolean withFlowControl) {
    sqSize = size;
    head = head % size;
    flowControl = withFlowControl;
    controller = to;
  }

  /** {@return the head of the host's queue for a response; 0xffff without flow control} */
  int sqhd() {
    return flowControl ? head : 0xffff;
  }

  Controller controller() {
    return controller;
  }

  Greeting greeting() {
    return greeting;
  }

  Target target() {
    return target;
  }

  QueuePair qp() {
    return qp;
  }

  MemoryRegion store() {
    return share.store();
  }

  InetSocketAddress localAddress() {
    return local;
  }

  /** {@return whether the host takes too long to say which controller it wants} */
  boolean isIdle(long nowNs) {
    return controller == null && nowNs - madeAtNs > target.limits().connectWithin().toNanos();
  }

  @Override
  public String toString() {
    return "queue " + greeting.qid() + " of " + peer;
  }
}
