package samples.kv.client;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import samples.kv.api.Store;
import samples.kv.api.StoreException;

/** Puts and gets without a pause, on a thread of its own, and counts what comes of it. */
final class Load {
  private static final int KEYS = 16;
  private static final int PAUSE_MS = 20; // after a failure

  private final Store store;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;
  private final Map<StoreException.Reason, Long> failures =
      new EnumMap<>(StoreException.Reason.class);
  private long pairs;
  private long lost;
  private long wrong;
  private String ended = "";

  Load(Store store) {
    this.store = store;
    thread = Thread.ofPlatform().name("kv-load").start(this::run);
  }

  private void run() {
    try {
      for (long i = 0; stopping.getCount() > 0; i++) {
        once("load" + i % KEYS, "value " + i);
      }
    } catch (InterruptedException | RuntimeException e) {
      ended(e);
    }
  }

  private void once(String key, String value) throws InterruptedException {
    try {
      store.put(key, value);
      Optional<String> got = store.get(key);
      counted(got.isEmpty(), got.equals(Optional.of(value)));
    } catch (StoreException e) {
      failed(e.reason());
      stopping.await(PAUSE_MS, TimeUnit.MILLISECONDS);
    }
  }

  private synchronized void counted(boolean empty, boolean right) {
    pairs++;
    if (empty) {
      lost++; // another server came after the put, and its table is empty
    } else if (!right) {
      wrong++;
    }
  }

  private synchronized void failed(StoreException.Reason reason) {
    failures.merge(reason, 1L, Long::sum);
  }

  private synchronized void ended(Exception why) {
    ended = ", ended by " + why;
  }

  /** Waits until the thread has ended. */
  void stop() throws InterruptedException {
    stopping.countDown();
    thread.join();
  }

  @Override
  public synchronized String toString() {
    String what = " puts and gets, " + lost + " lost with their server, " + wrong + " wrong";
    return pairs + what + ", failures " + failures + ended;
  }
}
