package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadSource;
import ib.core.serial.Waits;
import ib.core.verbs.AhAttr;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.WellKnown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An agent: what of it belongs to its client, and its own queue of callbacks. */
public final class Agent implements MadAgent {
  private static final long ENTER_NS = TimeUnit.SECONDS.toNanos(10);

  private final MadPort port;
  private final @Nullable BoundDevice owner;
  private final MadRegistration registration;
  private final MadHandler handler;
  private final int hiTid;
  final SerialQueue queue;
  private final Contract contract;
  private final AtomicInteger entering = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  Agent(
      MadPort port,
      @Nullable BoundDevice owner,
      MadRegistration registration,
      MadHandler handler,
      int hiTid) {
    this.port = port;
    this.owner = owner;
    this.registration = registration;
    this.handler = handler;
    this.hiTid = hiTid;
    this.contract = port.contract;
    this.queue = port.newQueue(this + "'s callback", party());
  }

  @Override
  public IbDevice device() {
    BoundDevice o = owner;
    if (o == null) {
      throw new IllegalStateException(this + " has no device: it is part of a simulation");
    }
    return o;
  }

  /** {@return the name of the agent's client, for violations} */
  private String party() {
    BoundDevice o = owner;
    return o == null ? toString() : o.client();
  }

  boolean belongsTo(IbDevice device) {
    return device.equals(owner);
  }

  @Override
  public int port() {
    return port.number;
  }

  @Override
  public MadRegistration registration() {
    return registration;
  }

  @Override
  public int hiTid() {
    return hiTid;
  }

  boolean rmpp() {
    return registration.rmpp();
  }

  /** {@return the queue on which its callbacks run, for the layer above} */
  public Executor callbacks() {
    return queue;
  }

  /**
   * Makes another ordered queue for the layer above.
   *
   * @param what for reports
   * @return the queue
   */
  public SerialQueue newQueue(String what) {
    return port.newQueue(what, party());
  }

  /** Waits until callbacks that were due have run; not from inside of one (CC-17). */
  @MaySleep
  @Fence
  public void fence() {
    queue.fence();
  }

  boolean closed() {
    return closed.get();
  }

  /** Hands a request to the handler, on the agent's queue. */
  void deliver(MadReceived request) {
    boolean taken =
        queue.executeForStranger(
            () -> {
              if (!closed.get()) {
                handler.received(this, request);
              }
            });
    if (!taken) {
      String reason = "more requests than " + this + " keeps up with";
      port.refused(Counter.NO_ROOM, reason, request.source());
    }
  }

  @Override
  public CompletableFuture<MadReceived> query(
      Mad request, MadAddress to, int timeoutMs, int retries) {
    if (timeoutMs < 1 || retries < 0 || request.header().response()) {
      throw new IbInvalidException(
          this + ".query",
          "timeout " + timeoutMs + " ms, " + retries + " retries, " + request,
          "a request, at least 1 ms, no negative number of retries");
    }
    long eachNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    Exchange e = new Exchange(this, own(request), to, eachNs, retries);
    e.result.onCancel(() -> port.run(() -> port.exchanges.forget(e)));
    enter(e.result, () -> port.exchanges.begin(e));
    return e.result;
  }

  @Override
  public CompletableFuture<Void> send(Mad mad, MadAddress to) {
    Pending<@Nullable Void> sent = new Pending<>();
    Mad copy = own(mad);
    enter(sent, () -> port.send(this, copy, to, sent));
    return sent;
  }

  @Override
  public CompletableFuture<Void> reply(MadReceived request, Mad response) {
    MadSource from = request.source();
    AhAttr answer = from.answer();
    if (answer == null) {
      return CompletableFuture.failedFuture(
          new IbInvalidException(
              this + ".reply", "no way back to " + from, "the port's GID table has changed"));
    }
    boolean smi = from.srcQp() == WellKnown.QPN_SMI;
    return send(
        response,
        new MadAddress(answer, from.srcQp(), smi ? 0 : WellKnown.QP1_QKEY, from.pkeyIndex()));
  }

  /** A copy, with the OUI of the agent's class. */
  private Mad own(Mad mad) {
    Mad copy = mad.copy();
    if (registration.oui() != 0 && registration.mgmtClass() == mad.header().mgmtClass()) {
      copy.oui(registration.oui());
    }
    return copy;
  }

  /**
   * Begins a request, unless the agent is closed. {@link #end} flushes every request begun here.
   */
  private void enter(CompletableFuture<?> result, Runnable begin) {
    entering.getAndIncrement();
    try {
      if (closed.get()) {
        result.completeExceptionally(gone());
      } else {
        port.run(begin);
      }
    } finally {
      entering.getAndDecrement();
    }
  }

  /** {@return what fails when the agent is closed} */
  public IbException gone() {
    return new IbDisassociatedException(
        this.toString(), "the agent was closed", "register another one");
  }

  @Override
  public void close() {
    requireMaySleep(this);
    BoundDevice o = owner;
    if (o != null) {
      o.owner().returned(this);
    }
    end();
  }

  /**
   * Refuses a close where the caller must not sleep, while that is checked (S26).
   *
   * @param what is to be closed: the agent, or what was built on it
   */
  @AnyContext
  public void requireMaySleep(Object what) {
    contract.requireMaySleep(party(), what, "close");
  }

  /** Closes the agent, but leaves its owner's record of it (M6). */
  @MaySleep
  @Fence
  public void end() {
    boolean first = closed.compareAndSet(false, true);
    if (first) {
      port.waits.await(new NobodyEnters(this), Waits.Rank.CLOSES, ENTER_NS);
      port.leave(this);
    }
    BoundDevice o = owner;
    Consumer<Waits.Target> owes = o == null ? t -> {} : o.owner()::owes;
    if (!queue.isInside()) {
      port.fence(owes);
    }
    queue.fence(owes);
  }

  /** The end of all calls of {@code enter}; such a call never waits. */
  private record NobodyEnters(Agent agent) implements Waits.Target {
    @Override
    public boolean over() {
      return agent.entering.get() == 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      // the threads inside enter are not recorded, and leave it at once
    }

    @Override
    public String text() {
      return "calls of " + agent;
    }
  }

  @Override
  public String toString() {
    return String.format(
        "MAD agent %d (class 0x%02x) of %s", hiTid, registration.mgmtClass(), port);
  }
}
