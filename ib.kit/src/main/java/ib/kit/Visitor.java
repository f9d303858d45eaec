package ib.kit;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.QpType;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * A client that is busy when its device is removed: its thread repeats one operation until the case
 * stops it or the operation is refused.
 */
final class Visitor implements IbClient {
  /** The behavior of the client in remove. */
  enum Manners {
    /** The client stops, awaits every completion and closes every object. */
    TIDY,
    /** The client does nothing: the core destroys its objects, its thread runs until refused. */
    RUDE
  }

  /** The operation that the client repeats. */
  interface Work {
    /** Runs the operation once. Returns false when the data path says that the object is gone. */
    boolean turn();

    /** {@return whether the work has begun, so that the device may be removed} */
    default boolean busy() {
      return true;
    }

    /** Waits until every accepted request has completed, once; the device still works. */
    default void settle() {}
  }

  /** Makes the work on a connected pair whose second end is on the device that is removed. */
  @FunctionalInterface
  interface Maker {
    Work make(Pair pair);
  }

  private final Trial trial;
  private final Manners manners;
  private final Maker maker;
  private final AtomicInteger turns = new AtomicInteger();
  private volatile @Nullable End end;
  private volatile @Nullable Work work;
  private volatile @Nullable Thread thread;
  private volatile boolean stop;
  private volatile boolean refused;
  private volatile @Nullable Throwable wrong;

  Visitor(Trial trial, Manners manners, Maker maker) {
    this.trial = trial;
    this.manners = manners;
    this.maker = maker;
  }

  @Override
  public String name() {
    return Trial.OWNER + " " + manners;
  }

  @Override
  public boolean supports(DeviceInfo device) {
    return device.name().equals(trial.name(1));
  }

  /** Everything is usable inside of add (S31). */
  @Override
  public @Nullable Object add(IbDevice device) {
    Shape connected = Shape.of(QpType.RC);
    Shape shape = trial.bench.lossless() ? connected.strict() : connected.retries(7, 7);
    End a = trial.end(trial.left(), shape);
    End b = new End(device, shape, trial.bench);
    end = b;
    work = maker.make(new Pair(a, b).connect(trial.bench));
    return null;
  }

  /** Starts its thread and waits until it is really busy. */
  void start() {
    thread = Thread.ofPlatform().daemon().name("ib.kit visitor").start(this::busy);
    Work w = work;
    Await.until(
        "a busy visitor",
        () -> turns.get() > 20 && w != null && w.busy() || wrong != null || refused);
  }

  private void busy() {
    Work w = work;
    try {
      while (!stop && w != null && w.turn()) {
        turns.incrementAndGet();
      }
      refused = !stop;
    } catch (IbDisassociatedException e) {
      refused = true;
    } catch (Throwable t) {
      wrong = t;
    }
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    Work w = work;
    End b = end;
    if (manners == Manners.RUDE || w == null || b == null) {
      return;
    }
    try {
      stop = true;
      join();
      Assertions.assertFalse(refused, "refused before remove returned (S28)");
      Assertions.assertNotNull(device.queryPort(1), "the device works (S28)");
      w.settle();
      b.close();
    } catch (RuntimeException | AssertionError e) {
      wrong = e;
    }
  }

  private void join() {
    Thread t = thread;
    if (t != null) {
      Await.end(t);
    }
  }

  /** Checks, after the removal, that the client was refused or stopped as expected. */
  void check() {
    join();
    Throwable t = wrong;
    if (t != null) {
      throw new AssertionError("while the device went: " + t, t);
    }
    Assertions.assertEquals(manners == Manners.RUDE, refused, "refused after the removal");
  }
}
