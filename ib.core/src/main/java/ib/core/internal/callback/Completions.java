package ib.core.internal.callback;

import ib.core.serial.Serial;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.MaySleep;
import ib.core.verbs.PollContext;
import org.jspecify.annotations.Nullable;

/** Makes the core's side of a device's completion queues. */
public final class Completions {
  private final String driver;
  private final Contract contract;
  private final CompletionVectors vectors;
  private final CallbackPool pool;

  /**
   * For one device.
   *
   * @param driver the driver's name, for reports
   * @param contract where violations are reported
   * @param vectors the device's threads
   * @param pool the midlayer's threads
   */
  public Completions(
      String driver, Contract contract, CompletionVectors vectors, CallbackPool pool) {
    this.driver = driver;
    this.contract = contract;
    this.vectors = vectors;
    this.pool = pool;
  }

  /** The core's side of one queue. */
  public interface Part {
    /** {@return the request for the driver: with the core's handler, without one if managed} */
    CqInit forDriver();

    /** {@return the serial that runs the callbacks, or null when the queue is only polled} */
    @Nullable Serial task();

    /**
     * Connects the core's side to the driver's queue, and arms a managed queue.
     *
     * @param cq the driver's queue
     */
    void connect(CompletionQueue cq);
  }

  /**
   * Prepares the core's side of a queue.
   *
   * @param init the client's request, checked
   * @return the core's side
   */
  @MaySleep
  public Part of(CqInit init) {
    PollContext context = init.pollContext();
    if (context != null) {
      boolean elsewhere = context == PollContext.WORKQUEUE || context == PollContext.UNBOUND;
      CompletionVector vector = elsewhere ? pool.handover() : vectors.vector(init.vector());
      return new Managed(init, new ManagedCompletions(context, contract, driver, vector, pool));
    }
    CompHandler handler = init.compHandler();
    if (handler == null) {
      Sleepers sleepers = new Sleepers();
      return new Polled(with(init, sleepers), sleepers);
    }
    CompletionVector vector = vectors.vector(init.vector());
    RawCompletions task = new RawCompletions(handler, init.context(), contract, vector);
    return new Raw(with(init, new GuardedCompHandler(task, contract, driver)), task);
  }

  private static CqInit with(CqInit init, CompHandler handler) {
    return new CqInit(
        init.entries(),
        init.vector(),
        handler,
        init.eventHandler(),
        init.context(),
        init.pollContext());
  }

  private record Polled(CqInit forDriver, Sleepers sleepers) implements Part {
    @Override
    public @Nullable Serial task() {
      return null;
    }

    @Override
    public void connect(CompletionQueue cq) {
      cq.connect(sleepers);
    }
  }

  private record Raw(CqInit forDriver, RawCompletions task) implements Part {
    @Override
    public void connect(CompletionQueue cq) {
      task.connect(cq);
    }
  }

  private record Managed(CqInit forDriver, ManagedCompletions task) implements Part {
    @Override
    public void connect(CompletionQueue cq) {
      task.connect(cq);
    }
  }
}
