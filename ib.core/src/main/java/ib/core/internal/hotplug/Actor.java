package ib.core.internal.hotplug;

import ib.core.internal.hotplug.Op.Waiter;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one device, run one at a time, in order. A thread that finds the actor idle
 * takes it and runs its own operation. A thread that comes later waits, and is handed the actor
 * when its operation is next. An operation for which no thread waits, or only a thread that must
 * not sleep, is run by the thread that has the actor then. No lock is held meanwhile (I5).
 */
final class Actor {
  private final Book book;
  final DeviceEntry device;

  // ---- guarded by the book ----
  private final ArrayDeque<Op> queue = new ArrayDeque<>();
  private @Nullable Tenure tenure;
  private @Nullable Op current;

  Actor(Book book, DeviceEntry device) {
    this.book = book;
    this.device = device;
  }

  // ---- for threads that have an operation ----

  /**
   * Runs an operation, or waits until it has been run.
   *
   * @return why the operation has not run yet, when the wait would never have ended or has ended
   *     early: the operation stays queued and will run; else null
   */
  @Nullable Refusal perform(Op op) {
    Next next = book.compute(() -> admit(op));
    while (next.tenure != null || next.signal != null) {
      if (next.tenure != null) {
        loop(next.tenure);
      } else if (next.signal != null) {
        next.signal.await();
      }
      next = book.compute(() -> proceed(op));
    }
    return next.refusal;
  }

  /** Queues an operation for the thread that has the actor, or else for a new helper thread. */
  void leave(Op op) {
    book.update(
        () -> {
          queue.add(op);
          if (tenure == null) {
            helper();
          }
          remindWatchdog();
        });
  }

  /** The next step of a thread that performs an operation. */
  private record Next(
      @Nullable Tenure tenure, Sync.@Nullable Signal signal, @Nullable Refusal refusal) {
    static final Next DONE = new Next(null, null, null);
  }

  private Next admit(Op op) {
    queue.add(op);
    remindWatchdog();
    if (tenure == null && book.atomic.getAsBoolean()) {
      helper();
    }
    if (tenure != null) {
      return await(op);
    }
    Thread me = Thread.currentThread();
    List<Thread> cycle =
        book.graph.makeWay(new WaitGraph.Wait(me, new Needs(op), op.rank, c -> {}));
    if (book.rules.refuses(cycle)) {
      Refusal refusal = refusal(op, cycle);
      helper();
      return new Next(null, null, refusal);
    }
    return new Next(take(me), null, null);
  }

  private Next proceed(Op op) {
    Tenure mine = op.turn;
    if (op.done) {
      return Next.DONE;
    }
    if (op.refusal != null) {
      return new Next(null, null, op.refusal);
    }
    if (mine != null && !mine.revoked && mine == tenure) {
      return new Next(mine, null, null);
    }
    return await(op);
  }

  private Next await(Op op) {
    WaitGraph.Wait wait =
        new WaitGraph.Wait(Thread.currentThread(), op, op.rank, cycle -> giveUp(op, cycle));
    List<Thread> cycle = book.graph.makeWay(wait);
    if (book.rules.refuses(cycle)) {
      return new Next(null, null, refusal(op, cycle));
    }
    if (!book.rules.waits(op)) {
      return Next.DONE;
    }
    Sync.Signal signal = book.sync.signal();
    op.waiter = new Waiter(wait, signal, !book.atomic.getAsBoolean(), book.now());
    book.graph.enter(wait);
    if (op.kind.limited()) {
      book.alarm.due(book.now() + book.limits.deadlineNs());
    }
    return new Next(null, signal, null);
  }

  /** Ends a wait in favour of another one; the operation stays queued. */
  private void giveUp(Op op, List<Thread> cycle) {
    Waiter waiter = op.waiter;
    op.refusal = refusal(op, cycle);
    op.waiter = null;
    if (waiter != null) {
      waiter.signal().fire();
    }
  }

  private Refusal refusal(Op op, List<Thread> cycle) {
    return refusal(op, cycle, 0);
  }

  private Refusal refusal(Op op, List<Thread> path, long waitedNs) {
    Tenure t = tenure;
    Activity a = t == null ? null : t.activity;
    String party =
        a == null || a.binding == null ? op.device.info().driver() : a.binding.client.name;
    return new Refusal(op, path, a == null ? "" : a.text(), party, waitedNs);
  }

  // ---- for the owner ----

  private void loop(Tenure mine) {
    for (Op op = book.find(() -> nextFor(mine)); op != null; op = book.find(() -> nextFor(mine))) {
      Op running = op;
      running.run(mine);
      book.update(() -> finish(mine, running));
    }
    if (mine.outer == null) {
      for (Runnable r = poll(mine); r != null; r = poll(mine)) {
        r.run();
      }
    }
  }

  private @Nullable Runnable poll(Tenure mine) {
    return book.find(mine.later::poll);
  }

  private @Nullable Op nextFor(Tenure mine) {
    if (!book.rules.mayGoOn(mine)) {
      end(mine);
      return null;
    }
    if (current != null) {
      return current; // taken over in the middle
    }
    Op head = queue.peek();
    if (head == null) {
      tenure = null;
      end(mine);
      return null;
    }
    Waiter waiter = head.waiter;
    if (waiter != null && waiter.runs()) {
      end(mine);
      head.waiter = null;
      head.turn = take(waiter.thread());
      book.graph.leave(waiter.entry());
      waiter.signal().fire();
      return null;
    }
    if (head.turn != mine && !book.graph.cycle(mine.thread, new Needs(head)).isEmpty()) {
      end(mine);
      helper(); // this thread holds what the operation has to wait for
      return null;
    }
    queue.poll();
    current = head;
    return head;
  }

  private void finish(Tenure mine, Op op) {
    if (!book.rules.mayGoOn(mine)) {
      return;
    }
    current = null;
    op.done = true;
    Waiter waiter = op.waiter;
    if (waiter != null) {
      op.waiter = null;
      book.graph.leave(waiter.entry());
      waiter.signal().fire();
    }
  }

  private Tenure take(Thread thread) {
    return take(thread, false);
  }

  private Tenure take(Thread thread, boolean helper) {
    Tenure t = new Tenure(this, thread, book.tenures.get(thread), helper);
    book.tenures.put(thread, t);
    tenure = t;
    return t;
  }

  private void end(Tenure mine) {
    if (mine.outer == null) {
      book.tenures.remove(mine.thread);
    } else {
      book.tenures.put(mine.thread, mine.outer);
      mine.outer.later.addAll(mine.later);
      mine.later.clear();
    }
  }

  /** A thread of the core's own becomes the owner. */
  private Tenure helper() {
    Tenure[] given = new Tenure[1];
    Thread thread = book.sync.thread("ib-hotplug " + device.name(), () -> loop(given[0]));
    given[0] = take(thread, true);
    book.afterwards(() -> book.sync.start(thread));
    return given[0];
  }

  // ---- for the watchdog and for operations; guarded ----

  /** Takes the actor away from its owner, who is stuck or may not wait; a helper goes on. */
  void takeOver() {
    Tenure old = tenure;
    if (old != null) {
      old.revoked = true;
      Tenure fresh = helper();
      fresh.later.addAll(old.later);
      old.later.clear();
    }
  }

  /** Takes the actor away from that owner, if it has it still. */
  void takeOver(Tenure owner) {
    if (owner == tenure) {
      takeOver();
    }
  }

  /** Refuses a wait of the running operation: its caller gets the refusal, a helper goes on. */
  void handOff(List<Thread> cycle) {
    Op op = current;
    if (op != null) {
      op.refusal = refusal(op, cycle);
    }
    takeOver();
  }

  /**
   * Ends the waits that have reached the deadline for an operation that is no fence. The operation
   * stays queued.
   *
   * @return when to call this again
   */
  long letGo(long nowNs) {
    long next = current == null ? Sync.Alarm.NEVER : letGo(current, nowNs);
    for (Op op : queue) {
      next = Math.min(next, letGo(op, nowNs));
    }
    return next;
  }

  private long letGo(Op op, long nowNs) {
    Waiter waiter = op.waiter;
    if (waiter == null || !op.kind.limited()) {
      return Sync.Alarm.NEVER;
    }
    long due = waiter.sinceNs() + book.limits.deadlineNs();
    if (nowNs < due) {
      return due;
    }
    List<Thread> path = new ArrayList<>(List.of(waiter.thread()));
    if (tenure != null) {
      path.add(tenure.thread);
    }
    op.refusal = refusal(op, path, nowNs - waiter.sinceNs());
    op.waiter = null;
    book.graph.leave(waiter.entry());
    waiter.signal().fire();
    return Sync.Alarm.NEVER;
  }

  @Nullable Tenure tenure() {
    return tenure;
  }

  /**
   * When a wait of the operation that runs is given up: with its caller's, but a helper's stays,
   * since the next helper would be where it is.
   */
  Waits.Rank rankOf(Tenure owner) {
    return owner.helper || current == null ? Waits.Rank.STAYS : current.rank;
  }

  /** {@return since when a thread waits for a fence; {@link Sync.Alarm#NEVER} if none does} */
  long fenceSinceNs() {
    long since = current != null && current.kind.fence() ? current.askedNs : Sync.Alarm.NEVER;
    for (Op op : queue) {
      since = op.kind.fence() ? Math.min(since, op.askedNs) : since;
    }
    return since;
  }

  /** {@return the threads for which a thread waits when it waits for this operation} */
  Set<Thread> blockers(Op op) {
    Set<Thread> threads = new LinkedHashSet<>();
    if (tenure != null) {
      threads.add(tenure.thread);
    }
    if (current != null) {
      threads.addAll(Needs.of(current));
    }
    for (Op ahead : op == current ? List.<Op>of() : queue) {
      threads.addAll(Needs.of(ahead));
      if (ahead == op) {
        break;
      }
    }
    return threads;
  }

  /** {@return the threads for which the operation that {@code owner} runs may have to wait} */
  Set<Thread> needsOf(Tenure owner) {
    return owner == tenure && current != null ? Needs.of(current) : Set.of();
  }

  private void remindWatchdog() {
    Tenure inner = tenure == null ? null : book.tenures.get(tenure.thread); // on a child, perhaps
    Activity a = inner == null ? null : inner.activity;
    if (a != null) {
      book.alarm.due(Math.max(a.startNs, book.now()) + book.limits.deadlineNs());
    }
  }
}
