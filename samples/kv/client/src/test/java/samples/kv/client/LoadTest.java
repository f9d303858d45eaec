package samples.kv.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import samples.kv.api.Store;

/** The load, over a store that gives two answers which are not what was put. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoadTest {
  @Test
  void aValueThatWentWithItsServerIsNotWrong() throws InterruptedException {
    CountDownLatch gets = new CountDownLatch(4);
    Load load = new Load(new Answering(gets));
    gets.await();
    load.stop();
    String says = load.toString();
    assertTrue(says.contains(" puts and gets, 1 lost with their server, 1 wrong, "), says);
  }

  /** The first value is lost, the second one is another, and then all is well. */
  private static final class Answering implements Store {
    private final CountDownLatch gets;
    private String stored = "";

    Answering(CountDownLatch gets) {
      this.gets = gets;
    }

    @Override
    public void put(String key, String value) {
      stored = value;
    }

    @Override
    public Optional<String> get(String key) {
      long left = gets.getCount();
      gets.countDown();
      return left == 4 ? Optional.empty() : Optional.of(left == 3 ? "another" : stored);
    }

    @Override
    public boolean delete(String key) {
      return false;
    }
  }
}
