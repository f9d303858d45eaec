package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs what it is given in order, one at a time, never on the caller's stack (M2, M11). */
public final class SerialQueue implements Executor {
  private static final long FENCE_NS = TimeUnit.SECONDS.toNanos(10); // as Owner.GRACE_NS

  private final String name;
  private final Executor place;
  private final Contract contract;
  private final Waits waits;
  private final ConcurrentLinkedQueue<Runnable> work = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong given = new AtomicLong();
  private final AtomicLong ran = new AtomicLong();
  private volatile @Nullable Thread runner;

  /**
   * Makes an empty queue.
   *
   * @param name for reports
   * @param place runs bursts of what is given; never on the caller's stack
   * @param contract where exceptions and violations are reported
   * @param waits who waits for whom
   */
  public SerialQueue(String name, Executor place, Contract contract, Waits waits) {
    this.name = name;
    this.place = place;
    this.contract = contract;
    this.waits = waits;
  }

  @Override
  @AnyContext
  public void execute(Runnable what) {
    work.add(what);
    given.incrementAndGet(); // after it is there: who reads the number finds it queued
    if (waiting.getAndIncrement() == 0) {
      place.execute(this::drain);
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
          ran.incrementAndGet();
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
   * the caller returns (CC-17), nor where what runs waits, in the end, for the caller: then the
   * fence is owed.
   *
   * @param owes takes what could not be waited for
   */
  @MaySleep
  @Fence
  public void fence(Consumer<? super Waits.Target> owes) {
    Heard heard = new Heard(this, given.get());
    End end = waits.await(heard, Waits.Rank.CLOSES, FENCE_NS);
    switch (end.kind()) {
      case DONE -> {}
      case INSIDE -> owes.accept(heard);
      case REFUSED -> {
        String text = "is fenced by a thread for which it waits: deferred";
        contract.report("CC-17", name, text, Stacks.of(runner));
        owes.accept(heard);
      }
      case TIMEOUT ->
          contract.report("CC-19", name, "a callback does not return", Stacks.of(runner));
    }
  }

  /** Waits until what was given before has run. */
  @MaySleep
  @Fence
  public void fence() {
    fence(owed -> {});
  }

  /** All that was given until then. */
  private record Heard(SerialQueue queue, long until) implements Waits.Target {
    @Override
    public boolean over() {
      return queue.ran.get() - until >= 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = queue.runner;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return queue.name;
    }
  }
}
