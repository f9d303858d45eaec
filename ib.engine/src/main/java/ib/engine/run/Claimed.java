package ib.engine.run;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of a queue pair, with the fields of its claim (D4). A thread claims it, runs it
 * and releases it. Any thread may call the methods of the claim; only the thread that holds it may
 * touch the rest and call the other methods.
 */
public abstract class Claimed extends ClaimToken {
  /** The list of the thread that runs it; equal to a thread's own list only while it is claimed. */
  public @Nullable RunList owner;

  /** Whether it stands in the list of its owner. */
  public boolean listed;

  @Nullable Claimed runNext;
  @Nullable Claimed workNext; // the worker's stack

  /** Makes one whose claim is free. */
  protected Claimed() {}

  /** Executes what was posted at the peer; returns whether there is nothing else to do. */
  protected abstract boolean direct(RunList run);

  /** Does what there is to do, within the budget; returns whether something is left. */
  protected abstract boolean step(RunList run);

  /**
   * Starts the timer if a request is unanswered, before the claim is released; returns whether the
   * claim may be released.
   */
  protected abstract boolean watch();

  /** Counts and notes an exception that a run list has caught outside the steps. */
  protected abstract void crashed(Throwable why);

  /** {@return the worker that goes on with it when a budget is used up} */
  protected abstract Worker worker();
}
