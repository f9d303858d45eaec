package ib.ulp.ipoib.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.testing.Stacks;
import ib.ulp.ipoib.testing.Stacks.Stack;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("the stack in this JVM, on a clock of its own: addresses and neighbours")
class StackTest {
  private static final Ip ONE = Ip.parse("10.96.0.1");
  private static final Ip TWO = Ip.parse("10.96.0.2");
  private static final Ip SIX = Ip.parse("fd00::2");
  private final Stacks lab = new Stacks();

  @AfterEach
  void close() {
    lab.close();
  }

  private boolean reaches(Stack from, Ip to) {
    CompletableFuture<Long> reply = from.host.ping(to, 8, 5_000_000_000L);
    for (int i = 0; i < 60 && !reply.isDone(); i++) {
      lab.pass(100);
    }
    return reply.isDone() && !reply.isCompletedExceptionally();
  }

  private String neighbour(Stack of, Ip who) {
    return of.host.neighbours().getOrDefault(who.toString(), "");
  }

  @Test
  @DisplayName("RFC 4862 5.4: an IPv6 address is probed, and one second later used and announced")
  void unique() {
    Stack a = lab.plug(1);
    a.host.address(SIX, 64);
    lab.settle();
    assertEquals(List.of("fe80::2c9:300:10:1 tentative", "fd00::2 tentative"), a.states());
    assertFalse(a.host.addresses().contains(SIX));
    lab.pass(1000);
    assertEquals(List.of("fe80::2c9:300:10:1", "fd00::2"), a.states());
  }

  @Test
  @DisplayName(
      "RFC 4862 5.4.4: an address that another node has is not used, and a warning is " + "logged")
  void taken() {
    Stack a = lab.plug(1);
    a.host.address(SIX, 64);
    lab.settle();
    lab.pass(1000);
    assertTrue(a.host.addresses().contains(SIX));
    Stack b = lab.plug(1);
    b.host.address(SIX, 64);
    lab.settle();
    lab.pass(1000);
    assertTrue(b.states().contains("fd00::2 duplicate"), b.states().toString());
    assertFalse(b.host.addresses().contains(SIX));
    assertTrue(a.host.addresses().contains(SIX), "who had it keeps it");
    b.host.address(Ip.parse("fd00::3"), 64);
    lab.settle();
    lab.pass(1000);
    assertTrue(reaches(b, SIX));
  }

  @Test
  @DisplayName("RFC 4862 5.4.3: two stacks that probe the same address at once do not both use it")
  void together() {
    Stack a = lab.plug(2);
    Stack b = lab.plug(2);
    a.host.address(SIX, 64);
    b.host.address(SIX, 64);
    for (int i = 0; i < 4; i++) {
      lab.pass(1000);
    }
    assertTrue(a.states().contains("fd00::2 duplicate"), a.states().toString());
    assertFalse(a.host.addresses().contains(SIX) && b.host.addresses().contains(SIX));
  }

  @Test
  @DisplayName("section 7, bonding: an address that goes from A to B and back to A is followed")
  void backAgain() {
    Stack a = lab.plug(0);
    Stack b = lab.plug(0);
    Stack c = lab.plug(0);
    c.host.address(ONE, 24);
    a.host.address(TWO, 24);
    lab.settle();
    assertTrue(reaches(c, TWO));
    assertTrue(neighbour(c, TWO).startsWith(a.address()), "A");
    a.link.stop();
    b.host.address(TWO, 24);
    lab.settle();
    assertTrue(neighbour(c, TWO).startsWith(b.address()), "B");
    assertTrue(reaches(c, TWO));
    b.link.stop();
    Stack again = lab.replug(0, 0);
    again.host.address(TWO, 24);
    lab.settle();
    assertTrue(neighbour(c, TWO).startsWith(again.address()), "A");
    assertTrue(reaches(c, TWO));
  }

  @Test
  @DisplayName(
      "section 7, lost gratuitous ARP with fail_over_mac: announced three times, one "
          + "second apart")
  void announcedAgain() {
    Stack a = lab.plug(0);
    Stack b = lab.plug(0);
    Stack c = lab.plug(0);
    c.host.address(ONE, 24);
    a.host.address(TWO, 24);
    lab.settle();
    assertTrue(reaches(c, TWO));
    for (int i = 0; i < 4; i++) {
      lab.pass(1000); // A has told it three times
    }
    c.deaf = true; // the first announcement of B is lost
    b.host.address(TWO, 24);
    lab.settle();
    c.deaf = false;
    assertTrue(neighbour(c, TWO).startsWith(a.address()), "not heard");
    lab.pass(1000);
    assertTrue(neighbour(c, TWO).startsWith(b.address()), "heard the second time");
    long sent = b.sent();
    lab.pass(1000);
    assertEquals(sent + 1, b.sent(), "the third");
    lab.pass(10_000);
    assertEquals(sent + 1, b.sent(), "and no more");
  }

  @Test
  @DisplayName(
      "D5: a neighbour that no longer answers is solicited again, then dropped; a new one " + "too")
  void gone() {
    Stack a = lab.plug(0);
    Stack b = lab.plug(0);
    a.host.address(ONE, 24);
    b.host.address(TWO, 24);
    lab.settle();
    assertTrue(reaches(a, TWO));
    b.link.stop();
    lab.pass(31_000);
    assertFalse(reaches(a, TWO));
    lab.pass(8000);
    assertEquals("", neighbour(a, TWO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.96.0.77", "fd00::77"})
  @DisplayName(
      "RFC 1122 2.3.2.1, RFC 4861 7.2.2: an address that does not answer is asked for once a second,"
          + " whatever is sent to it")
  void silence(String nobody) {
    Stack a = lab.plug(0);
    a.host.address(ONE, 24);
    a.host.address(SIX, 64);
    lab.settle();
    for (int i = 0; i < 5; i++) {
      lab.pass(1000); // its own addresses are told
    }
    long before = a.sent();
    for (int i = 0; i < 6000; i++) {
      a.host.ping(Ip.parse(nobody), 8, 500_000_000L);
      lab.pass(10);
    }
    long sent = a.sent() - before;
    assertTrue(sent >= 40 && sent <= 61, sent + " questions in a minute");
  }
}
