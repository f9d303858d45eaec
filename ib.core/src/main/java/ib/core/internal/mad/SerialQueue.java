package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Place;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs what it is given in order, one at a time, never on the caller's stack (M2, M11). */
public final class SerialQueue extends Mailbox<Runnable> implements Executor {
  /**
   * How many items may wait that strangers make; what the layer's own users give does not count.
   */
  static final int MAX_STRANGERS = 4096;

  private static final long FENCE_NS = TimeUnit.SECONDS.toNanos(10); // as Owner.GRACE_NS

  private final String name;
  private final String party;
  private final Contract contract;
  private final Waits waits;
  private final AtomicInteger strangers = new AtomicInteger(); // of what waits

  /**
   * Makes an empty queue. What the layer's own users give has no bound of the queue's: they bound
   * it. What strangers make is given by {@link #executeForStranger}.
   *
   * @param name for reports
   * @param party whose code runs there, for violations: a client's name
   * @param place runs bursts of what is given; never on the caller's stack
   * @param contract where exceptions and violations are reported
   * @param waits who waits for whom
   */
  public SerialQueue(String name, String party, Executor place, Contract contract, Waits waits) {
    super(Place.of(place), Integer.MAX_VALUE);
    this.name = name;
    this.party = party;
    this.contract = contract;
    this.waits = waits;
  }

  @Override
  @AnyContext
  public void execute(Runnable what) {
    offer(what);
  }

  /**
   * Runs something that a datagram of a stranger asks for, unless too much of that waits already: a
   * flood takes no more memory than that.
   *
   * @param what to run
   * @return whether it will run
   */
  @AnyContext
  boolean executeForStranger(Runnable what) {
    if (strangers.incrementAndGet() > MAX_STRANGERS) {
      strangers.decrementAndGet();
      return false;
    }
    return offer(
        () -> {
          strangers.decrementAndGet();
          what.run();
        });
  }

  @Override
  protected void hear(Runnable what) {
    what.run();
  }

  @Override
  protected void failed(Throwable thrown) {
    contract.handlerThrew(name, thrown);
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
    Waits.Target heard = soFar(name);
    End end = waits.await(heard, Waits.Rank.CLOSES, FENCE_NS);
    switch (end.kind()) {
      case DONE -> {}
      case INSIDE -> owes.accept(heard);
      case REFUSED -> {
        String text = name + " is fenced by a thread for which it waits: deferred";
        contract.report("CC-17", party, text, Stacks.of(runner()));
        owes.accept(heard);
      }
      case TIMEOUT ->
          contract.report(
              "CC-19", party, "a callback on " + name + " does not return", Stacks.of(runner()));
    }
  }

  /** Waits until what was given before has run. */
  @MaySleep
  @Fence
  public void fence() {
    fence(owed -> {});
  }
}
