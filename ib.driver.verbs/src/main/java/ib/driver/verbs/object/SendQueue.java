package ib.driver.verbs.object;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SigType;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a queue pair: what both forms of posting do. The claim guards the book's end
 * and the calls of the provider, so that requests are posted in the order of the book. All requests
 * of a post are checked first, and there is place for all of them; so the provider refuses none.
 */
final class SendQueue {
  private static final int FLAGS =
      SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

  private final VerbsContext context;
  private final VerbsCq cq;
  private final boolean all;
  final boolean datagram;
  private final int opcodes;
  final int maxSges;
  private final int maxInline;
  final Claim claim = new Claim();
  final SendBook book;
  private final SendRequest marker = new SendRequest(1, 0);
  private final MemorySegment bad = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
  private final LastState state;
  private final long domain;
  private long qp; // 0 before the queue pair is made
  private volatile int number;
  private int silent; // requests since the last that brings a completion; guarded by the claim

  SendQueue(VerbsPd pd, QpInit init, VerbsCq cq, SendLimits limits, LastState state) {
    this.context = pd.context;
    this.domain = pd.address;
    this.cq = cq;
    this.state = state;
    this.all = init.sqSigType() == SigType.ALL_WR;
    this.datagram = init.type() == QpType.UD;
    this.opcodes = limits.opcodes();
    this.maxSges = limits.sges();
    this.maxInline = limits.inline();
    this.book =
        new SendBook(
            limits.requests(), state, init.type() == QpType.RC ? QpState.ERR : QpState.SQE);
  }

  /** Capacities of the queue. */
  record SendLimits(int requests, int sges, int inline, int opcodes) {}

  /** Opens the queue. {@return false when the table of queues is full} */
  boolean open(long address) {
    qp = address;
    number = context.queues.add(book);
    return number != 0;
  }

  SendRequest request() {
    return new SendRequest(maxSges, maxInline);
  }

  int capacity() {
    return book.capacity;
  }

  boolean offers(WrOpcode opcode) {
    return opcode.value() < Integer.SIZE && (opcodes >>> opcode.value() & 1) != 0;
  }

  // ---- the checks of a request ----

  /** Checks a request that is complete. {@return OK, or why it is refused} */
  int check(SendRequest r) {
    boolean inline = (r.flags & SendFlags.INLINE) != 0 || r.inlineLength() >= 0;
    if ((r.flags & ~FLAGS) != 0 || (datagram && r.ah == null)) {
      return PostStatus.INVALID;
    }
    if (inline && r.opcode != WrOpcode.SEND.value() && !takesInline(r.opcode)) {
      return PostStatus.INVALID;
    }
    if (inline && r.inlineLength() < 0 && !r.gather(context.regions, domain)) {
      return PostStatus.INVALID;
    }
    if (r.opcode == WrOpcode.BIND_MW.value() && (r.window == null || r.region == null)) {
      return PostStatus.INVALID;
    }
    return PostStatus.OK;
  }

  private static boolean takesInline(int opcode) {
    return opcode <= WrOpcode.SEND_WITH_IMM.value() || opcode == WrOpcode.SEND_WITH_INV.value();
  }

  /** Addresses a datagram. {@return INVALID when the handle has gone or is of another domain} */
  int address(SendRequest r, @Nullable AddressHandle ah, int qpn, int qkey) {
    NativeAh to = ah instanceof VerbsAh mine ? mine.acquire(domain) : null;
    if (to == null) {
      return PostStatus.INVALID;
    }
    drop(r);
    r.datagram(to, qpn, qkey);
    return PostStatus.OK;
  }

  /** Gives back the count of an address handle of a request that is not posted. */
  static void drop(SendRequest r) {
    NativeAh ah = r.ah;
    if (ah != null) {
      r.ah = null;
      ah.release();
    }
  }

  static void drop(SendRequest[] requests, int n) {
    for (int i = 0; i < n; i++) {
      drop(requests[i]);
    }
  }

  // ---- posting ----

  boolean accepts() {
    QpState s = state.now;
    return s == QpState.RTS || s == QpState.SQD || s == QpState.SQE || s == QpState.ERR;
  }

  /** Posts requests that were made and checked outside, all or none. */
  int batch(SendRequest[] requests, int n) {
    if (!claim.enter()) {
      return PostStatus.GONE;
    }
    try {
      if (!accepts()) {
        return PostStatus.INVALID;
      }
      return n > book.capacity || !place(n) ? PostStatus.QUEUE_FULL : put(requests, n);
    } finally {
      claim.leave();
    }
  }

  /** {@return whether there is place; looks whether requests without completion are done} */
  boolean place(int n) {
    if (book.free() < n) {
      cq.look(false);
    }
    return book.free() >= n;
  }

  /** Posts requests, for which there is place, in one call. For the holder of the claim. */
  int put(SendRequest[] requests, int n) {
    int held = 0;
    for (int i = 0; i < n; i++) {
      SendRequest r = requests[i];
      if (!hold(r)) {
        letGo(requests, held);
        return PostStatus.INVALID; // its window or region has gone meanwhile
      }
      held++;
      int flags = signal(r);
      int following = i + 1;
      r.finish(
          (long) number << Integer.SIZE | book.next() + i & 0xffff_ffffL,
          following < n ? requests[following].address() : 0,
          flags);
      book.enter(r, i);
    }
    book.posted(n); // first: a completion may arrive before the call returns
    int errno = context.postSend.data(qp, requests[0].address(), bad.address());
    letGo(requests, n);
    int posted = errno == 0 ? n : before(requests, n);
    for (int i = 0; i < posted; i++) {
      requests[i].ah = null; // the book has its count now
    }
    if (posted < n) {
      for (int i = posted; i < n; i++) {
        drop(requests[i]);
      }
      book.posted(posted - n); // those refused are taken back
    }
    return Failures.post(errno);
  }

  /** {@return how many requests stand before the one that the provider refuses} */
  private int before(SendRequest[] requests, int n) {
    long refused = bad.get(ValueLayout.JAVA_LONG, 0);
    for (int i = 0; i < n; i++) {
      if (requests[i].address() == refused) {
        return i;
      }
    }
    return 0;
  }

  /**
   * Decides whether the device is to complete a request: in half a queue at least one, so that
   * those before it are known to be done.
   */
  private int signal(SendRequest r) {
    int flags = r.flags & ~SendFlags.INLINE | (r.inlineLength() >= 0 ? SendFlags.INLINE : 0);
    boolean wanted = all || (r.flags & SendFlags.SIGNALED) != 0;
    boolean due = ++silent >= Math.max(1, book.capacity / 2);
    r.shows = wanted ? SendBook.ALWAYS : due ? SendBook.UNLESS_FAILED : SendBook.SILENT;
    if (wanted || due) {
      silent = 0;
      return flags | SendFlags.SIGNALED;
    }
    return flags & ~SendFlags.SIGNALED;
  }

  private static boolean hold(SendRequest r) {
    VerbsMw window = r.window;
    VerbsMr region = r.region;
    if (window == null || region == null) {
      return true;
    }
    if (!window.held.hold()) {
      return false;
    }
    if (!region.held.hold()) {
      window.held.letGo();
      return false;
    }
    return true;
  }

  private static void letGo(SendRequest[] requests, int n) {
    for (int i = 0; i < n; i++) {
      VerbsMw window = requests[i].window;
      VerbsMr region = requests[i].region;
      if (window != null && region != null) {
        window.held.letGo();
        region.held.letGo();
      }
    }
  }

  // ---- the control path ----

  /**
   * Returns how many requests have no completion yet. In ERR, where the last request may have
   * succeeded without one, a request of the driver follows it, which is flushed.
   */
  int outstanding() {
    cq.look(true);
    if (book.outstanding() > 0 && state.now == QpState.ERR && claim.enter()) {
      try {
        if (book.endsSilent()) {
          mark();
          cq.look(true);
        }
      } finally {
        claim.leave();
      }
    }
    return book.outstanding();
  }

  /** The queue pair was moved to ERR to be closed: silent requests are marked. */
  void flushed() {
    int unused = outstanding();
  }

  private void mark() {
    marker.begin(0, null, WrOpcode.SEND.value(), 0);
    marker.shows = SendBook.NEVER;
    NativeAh ah = book.lastAh();
    if (datagram && (ah == null || !ah.acquire())) {
      return; // a datagram needs a handle, and the last one has none: nothing is outstanding
    }
    if (ah != null) {
      marker.datagram(ah, 1, 0);
    }
    marker.finish(
        (long) number << Integer.SIZE | book.next() & 0xffff_ffffL, 0, SendFlags.SIGNALED);
    book.enter(marker, 0);
    book.posted(1);
    if (context.postSend.data(qp, marker.address(), bad.address()) == 0) {
      marker.ah = null;
    } else {
      book.posted(-1);
      drop(marker);
    }
  }

  /** Forgets all requests after a reset: late completions find no queue. */
  void reset() {
    if (claim.enter()) {
      try {
        cq.forget(book);
        silent = 0;
      } finally {
        claim.leave();
      }
    }
  }

  /** Ends the queue: no thread posts any more. */
  void end() {
    claim.end();
  }

  /** The queue pair was destroyed: its completions stay until they were taken. */
  void close() {
    cq.keep(number, book);
  }
}
