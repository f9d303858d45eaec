package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.callback.FenceGraph;
import ib.core.internal.callback.Stacks;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs what it is given in order, one at a time, never on the caller's stack (M2, M11). */
public final class SerialQueue implements Executor {
  private static final long FENCE_NS = TimeUnit.SECONDS.toNanos(10); // as Owner.GRACE_NS

  private final String name;
  private final World world;
  private final Contract contract;
  private final FenceGraph fences;
  private final ConcurrentLinkedQueue<Runnable> work = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile @Nullable Thread runner;

  SerialQueue(String name, World world, Contract contract, FenceGraph fences) {
    this.name = name;
    this.world = world;
    this.contract = contract;
    this.fences = fences;
  }

  @Override
  @AnyContext
  public void execute(Runnable what) {
    work.add(what);
    if (waiting.getAndIncrement() == 0) {
      world.execute(this::drain);
    }
  }

  /** Who takes the count from 0 runs until it is 0 again: there is one such at a time. */
  private void drain() {
    do {
      Runnable next = work.poll();
      if (next != null) {
        runner = Thread.currentThread();
        try {
          next.run();
        } catch (Throwable e) { // whatever a consumer's handler throws
          contract.handlerThrew(name, e);
        } finally {
          runner = null;
        }
      }
    } while (waiting.decrementAndGet() > 0);
  }

  /** {@return whether the caller is run by this queue} */
  @AnyContext
  boolean isInside() {
    return Thread.currentThread().equals(runner);
  }

  /**
   * Waits until what was given before has run; not from inside, where it will have run soon after
   * the caller returns (CC-17).
   */
  @MaySleep
  @Fence
  public void fence() {
    if (isInside()) {
      return;
    }
    CountDownLatch reached = new CountDownLatch(1);
    execute(reached::countDown);
    if (!fences.enter(() -> runner)) {
      return; // the callback waits, in the end, for the caller: it runs out when that returns
    }
    boolean interrupted = false;
    try {
      long end = System.nanoTime() + FENCE_NS;
      for (long left = FENCE_NS; left > 0; left = end - System.nanoTime()) {
        try {
          if (reached.await(left, TimeUnit.NANOSECONDS)) {
            return;
          }
        } catch (InterruptedException e) {
          interrupted = true; // the fence must hold all the same; restored below
        }
      }
      contract.report("CC-19", name, "a callback does not return", Stacks.of(runner));
    } finally {
      fences.exit();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
