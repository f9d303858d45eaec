package ib.driver.verbs.object;

import ib.core.spi.CopiedCompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WorkCompletion;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libibverbs;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A completion queue of the kernel. The claim guards its ring and each call of the provider. */
final class VerbsCq extends CopiedCompletionQueue implements VerbsContext.EventTarget {
  private static final long BYTES = Layout.size("ibv_cq");
  private static final long CQE = Layout.at("ibv_cq", "cqe", 4);
  private static final int SPARE = 16; // entries for completions that the driver asks for
  private static final int MAX_UNACKNOWLEDGED = 64;
  private static final int CLOSED = 1 << 30; // of the events

  private final VerbsContext context;
  private final @Nullable Channel channel;
  private final int number;
  final long address;
  private final Claim claim = new Claim();
  private final CqRing ring;
  private final Map<Integer, ClosedQueue> kept = new HashMap<>(); // guarded by the claim

  /** The completions that were not taken before the close: they can be taken still. */
  private final Queue<WorkCompletion> left = new ConcurrentLinkedQueue<>();

  private final AtomicInteger unacknowledged = new AtomicInteger(); // events of the channel
  private volatile int entries;
  private volatile boolean overrun;

  VerbsCq(ObjectControl control, CqInit init, VerbsContext context) {
    super(control, init);
    this.context = context;
    PollContext polled = init.pollContext();
    boolean tells = init.compHandler() != null || (polled != null && polled != PollContext.DIRECT);
    this.channel = tells ? context.channel(init.vector()) : null;
    this.number = context.targets.add(this);
    if (number == 0) {
      throw context.full("createCq");
    }
    long made = 0;
    Libibverbs library = context.library;
    try (Frame frame = new Frame()) {
      made =
          context.make(
              frame,
              "createCq",
              library.createCq,
              context.address,
              asked(init.entries()),
              number,
              channel == null ? 0 : channel.address,
              init.vector());
    } finally {
      if (made == 0) {
        context.targets.remove(number);
      }
    }
    this.address = made;
    this.ring = new CqRing(context, address);
    this.entries = given(init.entries());
  }

  private long asked(int wanted) {
    return Math.min(wanted + SPARE, Math.max(wanted, context.maxCqe()));
  }

  private int given(int wanted) {
    int all = Frame.at(address, BYTES).get(ValueLayout.JAVA_INT, CQE);
    return Math.max(wanted, all - SPARE);
  }

  /** {@return whether an address that an event brings is this queue's} */
  boolean is(long other) {
    return address == other;
  }

  /** An event of the channel. For the channel's thread. */
  void fired(Frame frame) {
    int before = unacknowledged.getAndIncrement();
    if ((before & CLOSED) != 0) {
      acknowledge(frame, 1); // the closing thread waits for it in ibv_destroy_cq
    } else if (before + 1 >= MAX_UNACKNOWLEDGED) {
      acknowledge(frame, takeUnacknowledged(0));
    }
    notifyCompletion();
  }

  /** Takes what is to be acknowledged; once closed, nothing is left to take. */
  private int takeUnacknowledged(int closed) {
    int before = unacknowledged.getAndUpdate(n -> (n & CLOSED) != 0 ? n : closed);
    return (before & CLOSED) != 0 ? 0 : before;
  }

  private void acknowledge(Frame frame, int events) {
    if (events > 0) {
      frame.call(context.library.ackCqEvents, address, events);
    }
  }

  @Override
  public void event(int type) {
    overrun = true;
    raise(EventType.CQ_ERR);
  }

  @Override
  public int entries() {
    return entries;
  }

  @Override
  public int poll(WorkCompletion[] into, int most) {
    if (most < 0 || most > into.length) {
      return PostStatus.INVALID;
    }
    if (!claim.enter()) {
      return takeLeft(into, most);
    }
    int n = 0;
    try {
      boolean more = true;
      while (n < most) {
        if (ring.take(into[n])) {
          n++;
        } else if (!more || n > 0 || ring.fill() <= 0) {
          break; // one call of the provider
        } else {
          more = ring.visible() == 0; // all of it was the driver's own
        }
      }
    } finally {
      claim.leave();
    }
    return n > 0 || !overrun ? n : PostStatus.OVERRUN;
  }

  private int takeLeft(WorkCompletion[] into, int most) {
    int n = 0;
    for (WorkCompletion wc; n < most && (wc = left.poll()) != null; n++) {
      into[n].set(wc);
    }
    return n > 0 ? n : PostStatus.GONE;
  }

  @Override
  protected boolean take(WorkCompletion into) {
    if (!claim.enter()) {
      WorkCompletion wc = left.poll();
      if (wc != null) {
        into.set(wc);
      }
      return wc != null;
    }
    try {
      while (!ring.take(into)) {
        if (ring.fill() <= 0) {
          return false;
        }
      }
      return true;
    } finally {
      claim.leave();
    }
  }

  @Override
  public int requestNotify(int flags) {
    if ((flags & (NotifyFlags.NEXT_COMP | NotifyFlags.SOLICITED)) == 0) {
      return PostStatus.INVALID;
    }
    if (!claim.enter()) {
      return PostStatus.GONE;
    }
    try {
      int errno = context.requestNotify.data(address, (flags & NotifyFlags.NEXT_COMP) == 0 ? 1 : 0);
      if (errno != 0) {
        return Failures.post(Math.abs(errno));
      }
      if ((flags & NotifyFlags.REPORT_MISSED_EVENTS) == 0) {
        return PostStatus.OK;
      }
      if (ring.visible() == 0) {
        ring.fill(); // the device does not tell: what it has is read, and the next poll takes it
      }
      return ring.visible() > 0 ? 1 : 0;
    } finally {
      claim.leave();
    }
  }

  /** Reads what the device has, so that the books of the work queues know it. */
  void look(boolean all) {
    if (claim.enter()) {
      try {
        if (all) {
          ring.fillAll();
        } else {
          ring.fill();
        }
      } finally {
        claim.leave();
      }
    }
  }

  /**
   * Keeps a work queue until its completions were taken from here. Work queues that were kept
   * before, and have none left, are let go.
   *
   * @param number of the work queue
   */
  void keep(int number, ClosedQueue book) {
    if (claim.enter()) {
      try {
        ring.fillAll();
        book.settle();
        kept.put(number, book);
        kept.entrySet().removeIf(e -> !e.getValue().hasLeft() && letGo(e.getKey(), e.getValue()));
      } finally {
        claim.leave();
      }
    }
  }

  private boolean letGo(int number, ClosedQueue book) {
    context.queues.remove(number);
    book.forget();
    return true;
  }

  /** Forgets the requests of a work queue whose completions come here. */
  void forget(ClosedQueue book) {
    if (claim.enter()) {
      try {
        ring.fillAll();
        book.forget();
      } finally {
        claim.leave();
      }
    }
  }

  @Override
  protected void doResize(int wanted) {
    look(true);
    if (claim.enter()) {
      try (Frame frame = new Frame()) {
        if (wanted < ring.visible()) {
          throw new IbInvalidException(
              this + ".resize",
              ring.visible() + " completions are waiting",
              "at least " + ring.visible() + ", or poll first");
        }
        context.check(frame, "resizeCq", context.library.resizeCq, address, asked(wanted));
        entries = given(wanted);
      } finally {
        claim.leave();
      }
    }
  }

  @Override
  protected void doModerate(int count, int periodUs) {
    throw new ib.core.verbs.IbNotSupportedException(
        this + ".moderate", "libibverbs moderates in its extended form only", "no moderation");
  }

  /** No queue pair is left, so nothing more arrives. */
  private void keepRest() {
    if (claim.enter()) {
      try {
        ring.fillAll();
        for (WorkCompletion wc = new WorkCompletion(); ring.take(wc); wc = new WorkCompletion()) {
          left.add(wc);
        }
      } finally {
        claim.leave();
      }
    }
  }

  @Override
  protected void doDestroy() {
    keepRest();
    claim.end();
    kept.forEach(this::letGo);
    try (Frame frame = new Frame()) {
      acknowledge(frame, takeUnacknowledged(CLOSED));
      context.destroyed("CQ", frame.check(context.library.destroyCq, address));
    }
    context.targets.remove(number);
  }
}
