package ib.cm.internal.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CM-7, API-9: the bounds of what one source may have, exactly")
class BacklogTest {
  private static int taken(Quota quota, Object source, long nowNs) {
    int n = 0;
    while (quota.take(source, nowNs)) {
      n++;
    }
    return n;
  }

  @Test
  @DisplayName("API-9: an eighth of the places is for sources that have none; each has its most")
  void places() {
    Backlog backlog = new Backlog(16);
    for (int i = 0; i < 14; i++) {
      assertTrue(backlog.takes("one"), "request " + i);
      backlog.add("one");
    }
    assertFalse(backlog.takes("one"), "the last two places are for others");
    assertTrue(backlog.takes("other"));
    backlog.add("other");
    assertFalse(backlog.takes("other"), "it has one now");
    backlog.add("third");
    assertFalse(backlog.takes("fourth"), "all 16 are taken");
    backlog.remove("other");
    assertTrue(backlog.takes("other"), "it has none again");
    Backlog two = new Backlog(16, 2);
    two.add("one");
    assertTrue(two.takes("one"));
    two.add("one");
    assertFalse(two.takes("one"), "no third");
    two.remove("one");
    assertTrue(two.takes("one"));
  }

  @Test
  @DisplayName("CM-7: a bucket fills by the time that has passed, loses no part of it, and is full")
  void rate() {
    Quota quota = new Quota(10);
    assertEquals(10, taken(quota, "one", 0));
    assertEquals(10, taken(quota, "other", 0));
    assertEquals(0, taken(quota, "one", 99_999_999));
    assertEquals(1, taken(quota, "one", 150_000_000));
    assertEquals(1, taken(quota, "one", 200_000_000), "the half before counts");
    assertEquals(10, taken(quota, "one", 9_000_000_000L), "never more than a second's");
  }
}
