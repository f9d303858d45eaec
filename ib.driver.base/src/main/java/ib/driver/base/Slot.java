package ib.driver.base;

import ib.core.serial.End;
import ib.core.serial.Place;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One configured device. Any thread may request a target state (a configuration; plugged or not) at
 * any time without waiting. A worker, which has a thread only while there is work, brings the
 * device to that state. So a client that blocks in its {@code add} delays its own device only
 * (F19), never the thread that delivers configurations. There is no lock (S30, I5): the wish and
 * its progress are one value that threads replace as a whole, and the worker is a {@link Serial},
 * which runs once more after the last request.
 *
 * <p>If a device cannot be built because a resource of the system is in use, the slot requests
 * another try, after growing pauses, until the device is built or no longer wanted.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Slot<C extends DeviceConfig<C>> implements DeviceSlot {
  private static final int MIN_PAUSE_S = 1;
  private static final int MAX_PAUSE_S = 30;
  private static final long ALL = Long.MAX_VALUE; // requests

  private final String pid;
  private final String instance;
  private final Plugged.Factory<C> factory;
  private final Announcer<C> announcer;
  private final SlotObserver observer;

  private final AtomicReference<SlotState<C>> state = new AtomicReference<>(SlotState.initial());
  private final Serial worker = new Worker();

  // written by the worker only; volatile fields are read by any thread
  private volatile @Nullable Plugged<C> plugged;
  private volatile long order;
  private @Nullable Runnable withdraw;
  private Announcer.@Nullable Offer offer;
  private String offeredName = "";
  private String refused = ""; // the last reported failure, while the slot tries again
  private int pauseS = MIN_PAUSE_S; // before the next try
  private Runnable endPause = () -> {};

  Slot(
      String pid,
      String instance,
      Plugged.Factory<C> factory,
      Announcer<C> announcer,
      SlotObserver observer) {
    this.pid = pid;
    this.instance = instance;
    this.factory = factory;
    this.announcer = announcer;
    this.observer = observer;
  }

  /** {@return the PID of the slot's configuration} */
  public String pid() {
    return pid;
  }

  @Override
  public String name() {
    C now = now().applied();
    return now == null ? instance : now.name();
  }

  @Override
  public boolean plugged() {
    return plugged != null;
  }

  @Override
  public void plug() {
    Throwable why = await("plug", request(s -> s.wanted(true)));
    if (!plugged()) {
      if (why instanceof IbException e) {
        throw e;
      }
      throw new IbNoDeviceException(
          name() + ".plug", why == null ? "unplugged meanwhile" : why.toString(), "ib:plug again");
    }
  }

  @Override
  public void unplug() {
    await("unplug", request(s -> s.wanted(false)));
  }

  /** Sets the target configuration; null ends the slot. Does not wait. */
  void configure(@Nullable C config) {
    request(s -> s.target(config));
  }

  /** Makes the worker build the device again if it is outdated. Does not wait. */
  void review() {
    request(s -> s);
  }

  /** Plugs no device from now on. Does not wait. */
  void close() {
    request(SlotState::close);
  }

  /** Unplugs for good and waits until that is done. */
  void end() {
    configure(null);
    quiesce();
  }

  /**
   * Waits until all requests are carried out, also those that come meanwhile. This depends on
   * clients, which the core's watchdog observes (CC-19). Called by the worker itself, it returns at
   * once. Where the worker waits for the caller, or after 120 s, it reports that and returns.
   */
  public void quiesce() {
    End end = settled(ALL, Waits.Rank.CLOSES);
    if (end.kind() == End.Kind.REFUSED || end.kind() == End.Kind.TIMEOUT) {
      observer.failed(name(), Settled.refusal(name() + ".quiesce", end));
    }
  }

  private End settled(long until, Waits.Rank rank) {
    return announcer.waits().await(new Settled(this, until), rank, Settled.LIMIT_NS);
  }

  /** {@return whether all requests up to a number, which may be later ones, are carried out} */
  boolean reached(long until) {
    SlotState<C> now = now();
    return now.settled() >= Math.min(until, now.revision());
  }

  /** {@return the thread that is working; null while there is no work} */
  @Nullable Thread worker() {
    return worker.runner();
  }

  /**
   * {@return the configurations whose names and GUIDs the slot holds: target, in progress, applied}
   */
  List<C> claims() {
    return now().claims();
  }

  /**
   * {@return whether the slot has ended: there is no target, and the worker has unplugged the
   * device}
   */
  boolean gone() {
    return now().gone();
  }

  /** {@return the device's number in the order of announcements, from 1; 0 when unplugged} */
  long order() {
    return order;
  }

  private SlotState<C> now() {
    return Objects.requireNonNull(state.get());
  }

  /** {@return the number of the request; of the last one if the slot has ended} */
  private long request(UnaryOperator<SlotState<C>> change) {
    SlotState<C> after = update(s -> s.ended() ? s : change.apply(s).request());
    if (!after.ended()) { // otherwise the bundle has stopped
      worker.schedule(); // after the wish: the next run sees it
    }
    return after.revision();
  }

  /** Requests another try, unless there was a request since the last one. */
  private void tryAgain(long seen) {
    SlotState<C> before = now();
    if (before.revision() == seen && state.compareAndSet(before, before.request())) {
      worker.schedule();
    }
  }

  private SlotState<C> update(UnaryOperator<SlotState<C>> change) {
    while (true) {
      SlotState<C> before = now();
      SlotState<C> after = change.apply(before);
      if (state.compareAndSet(before, after)) {
        return after;
      }
    }
  }

  private @Nullable Throwable await(String what, long until) {
    End end = settled(until, Waits.Rank.QUEUED);
    if (!end.done()) {
      throw Settled.refusal(name() + "." + what, end);
    }
    return now().failure();
  }

  /** Carries out the last request, if no earlier run has done so. */
  private final class Worker extends Serial {
    Worker() {
      super(Place.of(run -> observer.start(Slot.this, run)));
    }

    @Override
    protected void call() {
      SlotState<C> wish = update(SlotState::begin);
      if (wish.settled() != wish.revision()) {
        work(wish);
      }
    }

    /** No thread could be started, or the table of slots has failed. The next request goes on. */
    @Override
    protected void failed(Throwable thrown) {
      observer.failed(name(), thrown);
    }
  }

  private void work(SlotState<C> wish) {
    endPause.run();
    Throwable why = null;
    try {
      reach(wish.target(), wish.wanted(), !wish.closing());
      refused = "";
    } catch (RuntimeException | Error e) {
      why = e;
      report(wish.target(), e);
    }
    Throwable failure = why;
    update(s -> s.settle(wish.revision(), failure));
    if (why instanceof IbAgainException) {
      endPause = observer.later(this, pauseS, () -> tryAgain(wish.revision()));
      pauseS = Math.min(2 * pauseS, MAX_PAUSE_S);
    } else {
      pauseS = MIN_PAUSE_S;
    }
    observer.settled(this);
  }

  /** Reports a failure; a failure that repeats at each try is reported once. */
  private void report(@Nullable C config, Throwable why) {
    String text = String.valueOf(why.getMessage());
    if (!(why instanceof IbAgainException) || !text.equals(refused)) {
      observer.failed(config == null ? instance : config.name(), why);
    }
    refused = why instanceof IbAgainException ? text : "";
  }

  private void reach(@Nullable C config, boolean in, boolean mayPlug) {
    C running = now().applied();
    Plugged<C> device = plugged;
    Plugged<C> good = device == null || device.outdated() ? null : device;
    if (config != null && in && good != null && running != null && config.liveChangeOf(running)) {
      if (!config.equals(running)) {
        good.change(config);
        update(s -> s.apply(config));
      }
      return;
    }
    if (device != null && (config == null || !in || good == null || !config.equals(running))) {
      pullOut(device);
    }
    update(s -> s.apply(config));
    if (config == null) {
      takeBackOffer();
      return;
    }
    offer(config.name());
    if (in && mayPlug && plugged == null) {
      putIn(config);
    }
  }

  private void putIn(C config) {
    Plugged<C> device = factory.plug(config);
    boolean ok = false;
    try {
      withdraw = announcer.announce(device);
      order = observer.announced();
      plugged = device;
      ok = true;
      tell(true);
    } finally {
      if (!ok) {
        device.unplug();
      }
    }
  }

  private void pullOut(Plugged<C> device) {
    Runnable first = withdraw;
    withdraw = null;
    plugged = null;
    order = 0;
    try {
      tell(false);
    } finally {
      try {
        if (first != null) {
          first.run(); // S28: the device works until the last client was removed
        }
      } finally {
        device.unplug();
      }
    }
  }

  private void tell(boolean in) {
    Announcer.Offer now = offer;
    if (now != null) {
      now.plugged(in);
    }
  }

  private void offer(String name) {
    if (!name.equals(offeredName)) {
      takeBackOffer();
      offer = announcer.offer(this);
      offeredName = name;
    }
  }

  private void takeBackOffer() {
    Announcer.Offer last = offer;
    offer = null;
    offeredName = "";
    if (last != null) {
      last.end();
    }
  }
}
