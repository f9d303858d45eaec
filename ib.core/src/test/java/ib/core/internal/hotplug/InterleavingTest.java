package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ib.core.client.ClientStatus.State;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random interleavings of everything at once. A failure prints its seed; {@code
 * -Dib.hotplug.seed=N} runs that one alone, {@code -Dib.hotplug.rounds=N} changes how many are run.
 */
@Tag("finding")
class InterleavingTest {
  private static final int ROUNDS = Integer.getInteger("ib.hotplug.rounds", 10_000);

  @Test
  @DisplayName("I1-I8, B2, B15, B17: 10,000 interleavings of devices and clients coming and going")
  void interleavings() throws InterruptedException {
    Long only = Long.getLong("ib.hotplug.seed");
    for (long seed = only == null ? 1 : only; seed <= (only == null ? ROUNDS : only); seed++) {
      Throwable wrong = new World(seed, new Rules()).run();
      if (wrong != null) {
        fail("replay with -Dib.hotplug.seed=" + seed, wrong);
      }
    }
  }

  /** The bug must be found, and as what it is. */
  private static void caught(Rules bug, String... as) throws InterruptedException {
    Throwable wrong = null;
    for (long seed = 1; wrong == null && seed <= 2_000; seed++) {
      wrong = new World(seed, bug).run();
    }
    assertNotNull(wrong, "the planted bug was not caught");
    String found = wrong.getMessage();
    assertTrue(Arrays.stream(as).anyMatch(found::startsWith), found);
  }

  @Test
  @DisplayName("planted: I1 remove in the order of adds")
  void plantedFifoRemove() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          Binding nextToRemove(List<Binding> live) {
            return live.getFirst();
          }
        },
        "I1");
  }

  @Test
  @DisplayName("planted: I1, B2 the youngest pending client first")
  void plantedAddOrder() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          ClientEntry nextToAdd(List<ClientEntry> pending) {
            return pending.getLast();
          }
        },
        "I1",
        "S41");
  }

  @Test
  @DisplayName("planted: I3, I4 unregister does not wait for an add in flight")
  void plantedNoFence() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          boolean waits(Op op) {
            return !op.kind.fence();
          }
        },
        "I3",
        "I4");
  }

  @Test
  @DisplayName("planted: B15 a cycle of waits is not refused")
  void plantedDeadlock() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          boolean refuses(List<Thread> cycle) {
            return false;
          }
        },
        "B15",
        "deadlock");
  }

  @Test
  @DisplayName("planted: I2, CC-5 a failed add is removed later")
  void plantedRemoveAfterFailedAdd() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          State afterFailedAdd() {
            return State.LIVE;
          }
        },
        "I2",
        "I7");
  }

  @Test
  @DisplayName("planted: CC-19 a thread that was given up acts when it comes back")
  void plantedLateReturn() throws InterruptedException {
    caught(
        new Rules() {
          @Override
          boolean mayGoOn(Tenure tenure) {
            return true;
          }
        },
        "I1",
        "I2",
        "I3",
        "I4");
  }

  @Test
  @DisplayName("planted: I5 a lock is held while a client is called")
  void plantedLock() throws InterruptedException {
    Throwable wrong = null;
    for (long seed = 1; wrong == null && seed <= 100; seed++) {
      Book[] book = new Book[1];
      World world = new World(seed, lockedCalls(book));
      book[0] = world.hotplug.book;
      wrong = world.run();
    }
    assertNotNull(wrong, "the planted bug was not caught");
    assertTrue(wrong.getMessage().startsWith("I5"), wrong.getMessage());
  }

  private static Rules lockedCalls(Book[] book) {
    return new Rules() {
      @Override
      Object call(Callable<?> body) {
        return book[0].find(
            () -> {
              try {
                return body.call();
              } catch (Exception e) {
                throw new IllegalStateException("planned", e);
              }
            });
      }
    };
  }
}
