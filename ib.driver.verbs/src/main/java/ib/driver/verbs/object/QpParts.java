package ib.driver.verbs.object;

import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Function;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.LockSupport;

/** The structure of a queue pair in C, its two work queues and its state. */
final class QpParts {
  private static final long INIT_BYTES = Layout.size("ibv_qp_init_attr");
  private static final long CONTEXT = Layout.at("ibv_qp_init_attr", "qp_context", 8);
  private static final long SEND_CQ = Layout.at("ibv_qp_init_attr", "send_cq", 8);
  private static final long RECV_CQ = Layout.at("ibv_qp_init_attr", "recv_cq", 8);
  private static final long SRQ = Layout.at("ibv_qp_init_attr", "srq", 8);
  private static final long CAP = Layout.at("ibv_qp_init_attr", "cap");
  private static final long QP_TYPE = Layout.at("ibv_qp_init_attr", "qp_type", 4);
  private static final long QP_BYTES = Layout.size("ibv_qp");
  private static final long QP_NUM = Layout.at("ibv_qp", "qp_num", 4);

  private static final long MAX_FLUSH_NS = 2_000_000_000L;
  private static final long PAUSE_NS = 20_000;

  private final VerbsContext context;
  private final VerbsCq recvCq;
  private final MemorySegment error = Arena.ofAuto().allocate(QpAttrs.BYTES, Long.BYTES);
  private final boolean shared;
  private final int number;
  private final long address;
  final LastState state = new LastState();
  private final Claim moves = new Claim(); // calls of ibv_modify_qp
  private final Held held = new Held(); // queries of the state, which any thread makes
  private final ReceiveBook receiveBook;
  final ReceiveQueue receives;
  final SendQueue sends;
  final QpCap cap;
  final int qpn;

  QpParts(VerbsPd pd, QpInit init, VerbsContext.EventTarget self) {
    this.context = pd.context;
    if (!(init.sendCq() instanceof VerbsCq sendCq) || !(init.recvCq() instanceof VerbsCq recv)) {
      throw foreign("a completion queue of another driver");
    }
    if (init.srq() != null && !(init.srq() instanceof VerbsSrq)) {
      throw foreign("a receive queue of another driver");
    }
    VerbsSrq srq = init.srq() instanceof VerbsSrq s ? s : null;
    QpAttrs.write(error, new QpAttr().state(QpState.ERR));
    this.recvCq = recv;
    this.shared = srq != null;
    this.number = context.targets.add(self);
    if (number == 0) {
      throw context.full("createQp");
    }
    long made = 0;
    QpCap asked = init.cap();
    boolean done = false;
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(INIT_BYTES);
      c.set(ValueLayout.JAVA_LONG, CONTEXT, number);
      c.set(ValueLayout.JAVA_LONG, SEND_CQ, sendCq.address);
      c.set(ValueLayout.JAVA_LONG, RECV_CQ, recv.address);
      c.set(ValueLayout.JAVA_LONG, SRQ, srq == null ? 0 : srq.address);
      c.set(ValueLayout.JAVA_INT, QP_TYPE, init.type().value());
      int one = 1; // one request of the driver itself, which drains
      QpAttrs.cap(
          c,
          CAP,
          Math.min(asked.maxSendWr() + one, Math.max(asked.maxSendWr(), context.maxQpWr())),
          shared ? 0 : Math.max(1, asked.maxRecvWr()),
          Math.max(1, asked.maxSendSge()),
          shared ? 0 : Math.max(1, asked.maxRecvSge()),
          asked.maxInlineData());
      made = context.make(frame, "createQp", context.library.createQp, pd.address, c.address());
      this.address = made;
      this.qpn = Frame.at(made, QP_BYTES).get(ValueLayout.JAVA_INT, QP_NUM);
      QpCap given = QpAttrs.cap(c, CAP);
      this.cap =
          new QpCap(
              asked.maxSendWr(),
              shared ? 0 : asked.maxRecvWr(),
              Math.min(given.maxSendSge(), Math.max(1, asked.maxSendSge())),
              shared ? 0 : Math.min(given.maxRecvSge(), Math.max(1, asked.maxRecvSge())),
              Math.min(given.maxInlineData(), asked.maxInlineData()));
      this.sends = new SendQueue(pd, init, sendCq, limits(init.type()), state);
      this.receiveBook = new ReceiveBook(cap.maxRecvWr(), state);
      this.receives = new ReceiveQueue(context, context.postReceive, receiveBook, cap.maxRecvSge());
      if (!sends.open(made) || !receives.open(made)) {
        throw context.full("createQp");
      }
      done = true;
    } finally {
      if (!done) {
        undo(made);
      }
    }
  }

  private void undo(long made) {
    context.targets.remove(number);
    if (made != 0) {
      try (Frame frame = new Frame()) {
        context.destroyed("QP", frame.check(context.library.destroyQp, made));
      }
    }
  }

  private static IbInvalidException foreign(String why) {
    return new IbInvalidException("createQp", why, "one of this device");
  }

  private SendQueue.SendLimits limits(QpType type) {
    return new SendQueue.SendLimits(
        cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData(), context.opcodes(type));
  }

  /**
   * Returns the state. A queue pair that a peer can bring to ERR is asked for, because the kernel
   * need not tell of it. The call of the kernel is short; after the end it is not made.
   */
  QpState state() {
    QpState last = state.now;
    boolean settled = last == QpState.RESET || last == QpState.INIT || last == QpState.ERR;
    if (settled || !held.hold()) {
      return last;
    }
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(QpAttrs.BYTES);
      MemorySegment init = frame.zeros(INIT_BYTES);
      int mask = QpAttrMask.STATE.mask();
      Function query = context.library.queryQp;
      if (frame.check(query, address, c.address(), mask, init.address()) == 0
          && state.now == last) {
        state.now = QpAttrs.state(c);
      }
    } finally {
      held.letGo();
    }
    return state.now;
  }

  /** An event of the queue pair: some say that the state has changed. */
  void event(EventType type) {
    switch (type) {
      case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> state.now = QpState.ERR;
      default -> {}
    }
    state.heard(type);
  }

  int mayReceive() {
    if (held.ended()) {
      return PostStatus.GONE;
    }
    return shared || state.now == QpState.RESET ? PostStatus.INVALID : PostStatus.OK;
  }

  /**
   * After a post: rdma_rxe learns of a receive only when something calls it, and flushes in ERR
   * when it is moved to ERR again. No allocation; the other providers do nothing then. A post that
   * does not see ERR came before {@link #modify} has flushed again.
   *
   * @return the status
   */
  int posted(int status) {
    if (status == PostStatus.OK && state.now == QpState.ERR && moves.enter()) {
      try {
        flushAgain();
      } finally {
        moves.leave();
      }
    }
    return status;
  }

  /** For the holder of the claim of the moves. */
  private void flushAgain() {
    if (state.now == QpState.ERR) {
      Function modify = context.library.modifyQp;
      int unused = modify.data(address, error.address(), QpAttrMask.STATE.mask());
    }
  }

  void modify(QpAttr attr, QpState to) {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(QpAttrs.BYTES);
      QpAttrs.write(c, attr);
      SlowReset.check(
          errno -> context.failure(errno, "modifyQp"),
          state.now,
          to,
          () -> move(frame, c, attr, to));
    }
    if (attr.has(QpAttrMask.STATE) && to == QpState.RESET) {
      sends.reset();
      boolean unused = receives.exclusive(() -> recvCq.forget(receiveBook));
    }
  }

  /** Asks the kernel once; {@return 0 or an error number} */
  private int move(Frame frame, MemorySegment c, QpAttr attr, QpState to) {
    if (!moves.enter()) {
      throw Held.closed("modifyQp");
    }
    try {
      int errno = frame.check(context.library.modifyQp, address, c.address(), attr.mask());
      if (errno == 0 && attr.has(QpAttrMask.STATE)) {
        state.moved(to);
        flushAgain(); // of what was posted meanwhile
      }
      return errno;
    } finally {
      moves.leave();
    }
  }

  QpAttr query() {
    held.need("queryQp");
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(QpAttrs.BYTES);
      MemorySegment init = frame.zeros(INIT_BYTES);
      context.check(
          frame,
          "queryQp",
          context.library.queryQp,
          address,
          c.address(),
          QpAttrs.all(),
          init.address());
      state.now = QpAttrs.state(c);
      return QpAttrs.read(c).cap(cap);
    } finally {
      held.letGo();
    }
  }

  int outstanding() {
    if (!shared) {
      recvCq.look(true);
    }
    int left = sends.outstanding() + receiveBook.outstanding();
    if (left > 0) { // a peer may have brought the queue pair to ERR, and a receive came later
      int unused = posted(PostStatus.OK);
    }
    return left;
  }

  /** Moves the queue pair to ERR, unless it is in RESET; {@return whether requests are flushed} */
  private boolean flush() {
    if (state.now == QpState.RESET) {
      return false;
    }
    if (!moves.enter()) {
      return false;
    }
    try (Frame frame = new Frame()) {
      Function modify = context.library.modifyQp;
      if (frame.check(modify, address, error.address(), QpAttrMask.STATE.mask()) != 0) {
        return false; // the device has gone
      }
      state.now = QpState.ERR;
    } finally {
      moves.leave();
    }
    sends.flushed();
    return true;
  }

  /** The device flushes at once; one that does not, loses what is left. */
  private void awaitFlushes() {
    long end = System.nanoTime() + MAX_FLUSH_NS;
    while (outstanding() > 0 && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(PAUSE_NS);
    }
    int lost = outstanding();
    if (lost > 0) {
      context.log("a queue pair was closed, and the device has not flushed " + lost + " requests");
    }
  }

  void multicast(String method, boolean attach, Gid group, int mlid) {
    Function f = attach ? context.library.attachMulticast : context.library.detachMulticast;
    held.need(method);
    try (Frame frame = new Frame()) {
      MemorySegment gid = frame.zeros(2 * Long.BYTES);
      AhAttrs.gid(gid, 0, group);
      context.check(frame, method, f, address, gid.address(), mlid);
    } finally {
      held.letGo();
    }
  }

  /**
   * Flushes the requests, since each accepted one completes (B20), and ends both queues: afterwards
   * no thread is in a call with the structure.
   */
  void destroy() {
    boolean flushes = flush();
    held.end();
    sends.end();
    receives.end();
    if (flushes) {
      awaitFlushes();
    }
    moves.end();
    try (Frame frame = new Frame()) {
      context.destroyed("QP", frame.check(context.library.destroyQp, address));
    }
    receives.close(recvCq, receiveBook);
    sends.close();
    context.targets.remove(number);
  }
}
