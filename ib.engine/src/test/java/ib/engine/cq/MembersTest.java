package ib.engine.cq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ib.core.verbs.WcOpcode;
import ib.core.verbs.WorkCompletion;
import ib.engine.cq.CqBench.User;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The queue pairs of a completion queue. */
class MembersTest {
  private static final int MANY = 9; // more than there is room for at first

  private final CqBench bench = new CqBench(64);
  private final CqBench other = new CqBench(64);
  private final WorkCompletion[] wc = {new WorkCompletion()};

  private List<User> users() {
    List<User> users = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      users.add(bench.user());
    }
    return users;
  }

  private void completed(User user, long place) {
    user.heard.clear();
    bench.push(1, WcOpcode.SEND, place, 4, null);
    assertEquals(1, bench.cq.poll(wc, 1));
  }

  @Test
  @DisplayName(
      "S48: places are given again, serials are not: an old entry frees nothing of another")
  void serials() {
    List<User> users = users();
    Set<Long> seen = new HashSet<>();
    Set<Integer> places = new HashSet<>();
    for (User u : users) {
      seen.add(u.sendPlace());
      places.add((int) u.sendPlace());
      completed(u, u.sendPlace());
      assertEquals(List.of("send 4"), u.heard);
    }
    for (User u : users) {
      bench.cq.detach(u);
      bench.cq.detach(u); // once for each of its queues, which are one
      completed(u, u.sendPlace());
      assertEquals(List.of(), u.heard, "it has gone");
    }
    List<User> later = users();
    users.forEach(bench.cq::detach); // late: others stand there now
    for (User next : later) {
      places.add((int) next.sendPlace());
      assertEquals(true, seen.add(next.sendPlace()), "a serial was given twice");
      completed(next, next.sendPlace());
      assertEquals(List.of("send 4"), next.heard);
    }
    for (User gone : users) {
      completed(gone, gone.sendPlace());
      assertEquals(List.of(), gone.heard);
    }
    assertEquals(MANY, places.size(), "no more places than were used at a time");
  }

  @Test
  @DisplayName(
      "a queue pair of two completion queues has a place in each, and leaves each by itself")
  void twoQueues() {
    other.user();
    User both = new User(bench.cq, other.cq);
    bench.cq.attach(both);
    other.cq.attach(both);
    assertNotEquals(both.sendPlace(), both.recvPlace());
    other.push(1, WcOpcode.RECV, both.recvPlace(), 7, null);
    assertEquals(1, other.cq.poll(wc, 1));
    assertEquals(List.of("receive 7"), both.heard);
    completed(both, both.sendPlace());
    assertEquals(List.of("send 4"), both.heard);
    other.push(1, WcOpcode.SEND, both.recvPlace(), 8, null);
    assertEquals(1, other.cq.poll(wc, 1));
    assertEquals(1, both.heard.size(), "its sends do not complete there");
    other.cq.detach(both);
    completed(both, both.sendPlace());
    assertEquals(List.of("send 4"), both.heard, "it is still in the other one");
    bench.cq.detach(both);
    completed(both, both.sendPlace());
    assertEquals(List.of(), both.heard);
  }
}
