package ib.verifier.bundles;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Clients that start threads. */
public final class Clients {
  private Clients() {}

  /** A client that the test adds to a device, and removes from it. */
  abstract static class Client implements IbClient, Runnable {
    @Override
    public final String name() {
      return "client";
    }

    @Override
    public final void run() {
      Object state = add(null);
      remove(null, state);
    }
  }

  /** Leaves a thread behind that its own thread has started. */
  public static final class LeavesThread extends Client {
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    public Object add(IbDevice device) {
      CountDownLatch started = new CountDownLatch(1);
      Thread first = new Thread(() -> child(started));
      first.start();
      Shared.await(started);
      Shared.join(first);
      return end;
    }

    private void child(CountDownLatch started) {
      Thread.ofPlatform().daemon().name("left").start(() -> Shared.await(end));
      started.countDown();
    }

    @Override
    public void remove(IbDevice device, Object state) {}
  }

  /** Leaves a timer behind. */
  public static final class LeavesTimer extends Client {
    @Override
    public Object add(IbDevice device) {
      return new Timer("left", true);
    }

    @Override
    public void remove(IbDevice device, Object state) {}
  }

  /** Leaves an executor behind. */
  public static final class LeavesPool extends Client {
    @Override
    public Object add(IbDevice device) {
      return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    }

    @Override
    public void remove(IbDevice device, Object state) {}
  }

  /** Ends what it has started. */
  public static final class CleansUp extends Client {
    private final CountDownLatch end = new CountDownLatch(1);

    private record State(Thread thread, Timer timer, ExecutorService pool) {}

    @Override
    public Object add(IbDevice device) {
      Thread thread = new Thread(() -> Shared.await(end));
      thread.start();
      return new State(thread, new Timer("mine", true), Executors.newSingleThreadExecutor());
    }

    @Override
    public void remove(IbDevice device, Object state) {
      if (state instanceof State mine) {
        end.countDown();
        Shared.join(mine.thread);
        mine.timer.cancel();
        mine.pool.close();
      }
    }
  }
}
