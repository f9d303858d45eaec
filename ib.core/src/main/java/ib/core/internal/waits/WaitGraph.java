package ib.core.internal.waits;

import ib.core.serial.BoundedWaits;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wait-for graph of a midlayer (B15). Nodes are threads; a thread waits for one target at a
 * time. Each search computes the edges from the current state, so that none is stale: an edge leads
 * from a thread to each holder of its target, and to each thread for which it will have to wait
 * before its own operation is done.
 *
 * <p>A deadlock is closed by a thread that enters a wait, so only then the graph is searched. A
 * wait that no thread wakes reads its target again periodically, so that the code that ends it
 * needs no wake-up.
 */
public final class WaitGraph implements Waits {
  private static final int SPINS = 100;

  private final int spins;
  private final ReentrantLock leaf = new ReentrantLock();
  // guarded by the leaf
  private final Map<Thread, Wait> waits = new HashMap<>();
  private Foresight owed = (thread, least, to) -> {};
  private volatile long deadlineNs = TimeUnit.SECONDS.toNanos(60);

  /** An empty graph. */
  public WaitGraph() {
    this(SPINS);
  }

  WaitGraph(int spins) {
    this.spins = spins;
  }

  /** {@return the one lock, which guards the waits and whatever their targets read} */
  public ReentrantLock leaf() {
    return leaf;
  }

  /** For whom threads will have to wait before they are done with what they do. */
  @FunctionalInterface
  public interface Foresight {
    /**
     * Tells the threads ahead of a thread, called with the leaf held. Waits to come that would give
     * way to the one that is entered now are left out: when they come, they do.
     *
     * @param thread who will have to wait
     * @param least the lowest rank of what counts
     * @param to takes each thread that is ahead
     */
    void ahead(Thread thread, Rank least, Consumer<? super Thread> to);
  }

  /**
   * Says for whom threads will have to wait.
   *
   * @param ahead tells the threads ahead of a thread
   */
  public void owed(Foresight ahead) {
    leaf.lock();
    try {
      owed = ahead;
    } finally {
      leaf.unlock();
    }
  }

  /** {@return how long a fence or a close waits at the most} */
  @AnyContext
  public long deadlineNs() {
    return deadlineNs;
  }

  /**
   * Sets how long a fence or a close waits at the most.
   *
   * @param ns from now on
   */
  @AnyContext
  public void deadlineNs(long ns) {
    deadlineNs = ns;
  }

  // ---- for those who hold the leaf ----

  /** {@return the threads that wait now, each with its wait} */
  public Map<Thread, Wait> waits() {
    return Map.copyOf(waits);
  }

  /**
   * Checks whether a wait would close a cycle. Ends waits of lower rank on the cycle until no cycle
   * is left.
   *
   * @param fresh a wait that is not entered yet
   * @return empty; or the cycle on which the new wait itself has to be given up, its thread first
   */
  public List<Thread> makeWay(Wait fresh) {
    for (Step end = search(fresh); end != null; end = search(fresh)) {
      List<Thread> cycle = end.cycle(fresh.thread);
      Wait lowest = fresh;
      for (Step s = end; s != null; s = s.before) {
        if (s.by != null && s.by.rank.compareTo(lowest.rank) < 0) {
          lowest = s.by;
        }
      }
      if (lowest.rank == Rank.STAYS) {
        // no wait of the cycle may end early: the watchdog ends one at its deadline
        return List.of();
      }
      if (lowest.equals(fresh)) {
        return cycle;
      }
      giveUp(lowest, cycle);
    }
    return List.of();
  }

  private void giveUp(Wait victim, List<Thread> cycle) {
    waits.remove(victim.thread);
    int at = cycle.indexOf(victim.thread);
    List<Thread> mine = new ArrayList<>(cycle.subList(at, cycle.size()));
    mine.addAll(cycle.subList(1, at + 1));
    victim.cycle = List.copyOf(mine);
    victim.givenUp.accept(victim.cycle);
  }

  /**
   * Looks for a way back.
   *
   * @param from who would wait
   * @param target for what
   * @return the threads of the cycle, {@code from} first and last; empty when there is none
   */
  public List<Thread> cycle(Thread from, Target target) {
    Step end = search(new Wait(from, target, Rank.QUEUED));
    return end == null ? List.of() : end.cycle(from);
  }

  /**
   * A thread waits from now on.
   *
   * @param wait its wait
   */
  public void enter(Wait wait) {
    waits.put(wait.thread, wait);
  }

  /**
   * A thread waits no more.
   *
   * @param wait its wait
   */
  public void leave(Wait wait) {
    waits.remove(wait.thread, wait);
  }

  /** A thread on a way, and the wait by which the way came to it; null where it was foreseen. */
  private record Step(Thread thread, @Nullable Wait by, @Nullable Step before) {
    List<Thread> cycle(Thread from) {
      List<Thread> threads = new ArrayList<>();
      for (Step s = this; s != null; s = s.before) {
        threads.addFirst(s.thread);
      }
      threads.addFirst(from);
      return threads;
    }
  }

  /** Breadth first; each thread once. {@return the last step of a way back, or null} */
  private @Nullable Step search(Wait fresh) {
    ArrayDeque<Step> open = new ArrayDeque<>();
    Set<Thread> seen = new HashSet<>();
    fresh.target.holders(t -> open.add(new Step(t, fresh, null)));
    for (Step s = open.poll(); s != null; s = open.poll()) {
      if (s.thread.equals(fresh.thread)) {
        return s;
      }
      if (seen.add(s.thread)) {
        Step here = s;
        Wait w = waits.get(s.thread);
        if (w != null && !w.target.over()) {
          w.target.holders(t -> open.add(new Step(t, w, here)));
        }
        owed.ahead(s.thread, fresh.rank, t -> open.add(new Step(t, null, here)));
      }
    }
    return null;
  }

  // ---- for those who do not ----

  @Override
  @MaySleep
  @Fence
  public End await(Target target, Rank rank, long limitNs) {
    for (int i = 0; i < spins; i++) {
      if (target.over()) {
        return End.DONE;
      }
      Thread.onSpinWait();
    }
    Wait wait = new Wait(Thread.currentThread(), target, rank);
    End refused = begin(wait);
    if (refused != null) {
      return refused;
    }
    try {
      return BoundedWaits.poll(target, () -> wait.cycle, limitNs);
    } finally {
      leaf.lock();
      try {
        leave(wait);
      } finally {
        leaf.unlock();
      }
    }
  }

  /** Looks and enters in one section: no other wait comes in between. */
  private @Nullable End begin(Wait wait) {
    leaf.lock();
    try {
      if (wait.target.over()) {
        return End.DONE;
      }
      List<Thread> cycle = makeWay(wait);
      if (!cycle.isEmpty()) {
        return End.of(cycle);
      }
      enter(wait);
      return null;
    } finally {
      leaf.unlock();
    }
  }

  /** One thread's wait. */
  public static final class Wait {
    private final Thread thread;
    private final Target target;
    private final Rank rank;
    private final Consumer<List<Thread>> givenUp;
    private volatile @Nullable List<Thread> cycle;

    private Wait(Thread thread, Target target, Rank rank) {
      this(thread, target, rank, c -> {});
    }

    /**
     * A wait that is not entered yet.
     *
     * @param thread the thread that waits
     * @param target the target that it waits for
     * @param rank decides which wait of a cycle is refused
     * @param givenUp wakes the thread when its wait was refused; gets the cycle, this thread first.
     *     Called with the leaf lock held
     */
    public Wait(Thread thread, Target target, Rank rank, Consumer<List<Thread>> givenUp) {
      this.thread = thread;
      this.target = target;
      this.rank = rank;
      this.givenUp = givenUp;
    }

    /** {@return who waits} */
    public Thread thread() {
      return thread;
    }
  }
}
