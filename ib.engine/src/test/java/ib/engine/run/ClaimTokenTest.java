package ib.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.ring.Race;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimTokenTest {
  private static final int ROUNDS = 10_000;

  /** A token, as the checker needs it. */
  private interface Token {
    boolean schedule();

    boolean release();
  }

  private static final class Real implements Token {
    final ClaimToken token = new ClaimToken();

    @Override
    public boolean schedule() {
      return token.schedule();
    }

    @Override
    public boolean release() {
      return token.release();
    }
  }

  /** Planted: a loser goes away without a mark. */
  private static final class Forgetful implements Token {
    final AtomicInteger state = new AtomicInteger();

    @Override
    public boolean schedule() {
      return state.compareAndSet(0, 1);
    }

    @Override
    public boolean release() {
      state.set(0);
      return true;
    }
  }

  /** Planted: asks and sets in two steps. */
  private static final class Torn implements Token {
    volatile int state;

    @Override
    public boolean schedule() {
      if (state == 0) {
        Thread.yield(); // the window, held open
        state = 1;
        return true;
      }
      return false;
    }

    @Override
    public boolean release() {
      state = 0;
      return true;
    }
  }

  /**
   * Each round three posters add work and schedule; the owner does all of it before the round ends.
   */
  private static Throwable check(Token token, int rounds) throws InterruptedException {
    AtomicInteger posted = new AtomicInteger();
    AtomicInteger inside = new AtomicInteger();
    int[] done = {0}; // the owner's
    AtomicInteger arrived = new AtomicInteger();
    AtomicInteger gate = new AtomicInteger();
    return Race.run(
        3,
        Race.HANG_S,
        (me, race) -> {
          for (int i = 1; i <= rounds; i++) {
            posted.incrementAndGet();
            if (token.schedule()) {
              do {
                if (inside.incrementAndGet() != 1) {
                  throw new AssertionError("two owners");
                }
                done[0] = posted.get();
                race.pause(); // so that others come while we are inside
                inside.decrementAndGet();
              } while (!token.release());
            }
            arrived.incrementAndGet();
            while (me == 0 && arrived.get() < 3 * i) {
              race.pause();
            }
            if (me == 0) {
              lost(posted.get(), done[0]);
              gate.set(i);
            }
            while (gate.get() < i) {
              race.pause();
            }
          }
        });
  }

  private static void lost(int posted, int done) {
    if (posted != done) {
      throw new AssertionError("lost work: " + done + " of " + posted);
    }
  }

  @Test
  @DisplayName("D4: one owner at a time, no work is lost")
  void exclusiveAndComplete() throws InterruptedException {
    assertNull(check(new Real(), ROUNDS));
  }

  @Test
  @DisplayName("D4 canaries: lost work and two owners are noticed")
  void canaries() throws InterruptedException {
    assertNotNull(check(new Forgetful(), ROUNDS));
    assertNotNull(check(new Torn(), ROUNDS));
  }

  @Test
  @DisplayName("D4: a wanted token goes to the control path, and marks survive")
  void wanted() {
    ClaimToken t = new ClaimToken();
    assertTrue(t.tryClaim());
    assertTrue(t.want());
    assertFalse(t.want(), "one of the control path waits at a time");
    assertFalse(t.tryClaimWanted());
    assertFalse(t.schedule(), "marked");
    assertTrue(t.release(), "left to who wants it, although marked");
    assertFalse(t.schedule(), "runners leave it alone");
    assertTrue(t.tryClaimWanted());
    assertTrue(t.want(), "who waited has it, so the next may wait");
    assertFalse(t.unwant());
    assertFalse(t.release(), "the mark is still there");
    assertTrue(t.release());
    assertEquals(false, t.claimed());
    t.die();
    assertFalse(t.tryClaim(), "the fast way is closed for good");
    assertTrue(t.schedule(), "packets can still be thrown away");
    assertTrue(t.release());
    assertTrue(t.dead());
  }

  @Test
  @DisplayName("D4: who stops waiting for a claim does what was left to it, or nothing")
  void unwanted() {
    ClaimToken t = new ClaimToken();
    t.want();
    assertFalse(t.tryClaim(), "the fast way as well");
    assertFalse(t.unwant(), "nothing was left");
    assertFalse(t.claimed());
    assertTrue(t.tryClaim());
    t.want();
    assertFalse(t.schedule());
    assertFalse(t.unwant(), "its holder does it");
    assertFalse(t.release());
    assertTrue(t.release());
    t.want();
    assertFalse(t.schedule(), "left to who wants it");
    assertTrue(t.unwant(), "so it has the claim now");
    assertTrue(t.claimed());
    assertFalse(t.schedule(), "it holds it");
    assertFalse(t.release());
    assertTrue(t.release(), "the mark was taken away");
    assertTrue(t.tryClaim());
    assertTrue(t.release());
  }

  @Test
  @DisplayName("D4: a token says who had it last, and whether its queue pair is destroyed")
  void facts() {
    ClaimToken t = new ClaimToken();
    assertEquals(0, t.holder());
    t.heldBy(77);
    assertEquals(77, t.holder());
    assertFalse(t.dead());
    t.die();
    assertTrue(t.dead());
    assertFalse(t.claimed());
    t.want();
    assertTrue(t.tryClaimWanted());
    assertFalse(t.tryClaimWanted(), "it is held");
    assertTrue(t.dead() && t.claimed());
    assertTrue(t.release());
  }
}
