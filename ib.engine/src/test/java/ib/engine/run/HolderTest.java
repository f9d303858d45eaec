package ib.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.cq.IdleMember;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who holds the claim of a queue pair, for the report of a wait that was in vain. */
class HolderTest {
  @Test
  @DisplayName("the report names the thread and what it is doing, or says that it is not there")
  void text() throws InterruptedException {
    Claimed pair = new IdleMember();
    assertEquals("it is not known who holds it", Holder.text(pair));
    long me = Thread.currentThread().threadId();
    pair.heldBy(me);
    String name = "thread " + Thread.currentThread().getName() + " (" + me + ", RUNNABLE) at ";
    assertTrue(Holder.text(pair).startsWith(name), Holder.text(pair));
    Thread ended = new Thread(() -> {});
    ended.start();
    ended.join();
    pair.heldBy(ended.threadId());
    String gone = "thread " + ended.threadId() + ", which has ended or is virtual";
    assertEquals(gone, Holder.text(pair));
  }

  @Test
  @DisplayName("of a stack the report has the innermost 12 calls, from the innermost on")
  void stack() {
    StackTraceElement[] deep = new StackTraceElement[20];
    for (int i = 0; i < deep.length; i++) {
      deep[i] = new StackTraceElement("C", "m" + i, "C.java", 1);
    }
    String text = Holder.at(deep);
    assertTrue(text.startsWith(" at C.m0(C.java:1), C.m1(C.java:1), "), text);
    assertTrue(text.endsWith(", C.m11(C.java:1)"), text);
    assertFalse(text.contains("m12"));
    assertEquals("", Holder.at(new StackTraceElement[0]));
  }
}
