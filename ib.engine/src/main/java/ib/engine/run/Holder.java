package ib.engine.run;

import java.util.Map;

/** Says who holds the claim of a queue pair, for the report of a wait that was in vain. */
public final class Holder {
  private static final int FRAMES = 12;

  private Holder() {}

  /** {@return the thread that claimed it last, with what it is doing} */
  public static String text(Claimed qp) {
    long id = qp.holder(); // a racy read: who looks has waited for long
    if (id == 0) {
      return "it is not known who holds it";
    }
    for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
      Thread t = e.getKey();
      if (t.threadId() == id) {
        return "thread " + t.getName() + " (" + id + ", " + t.getState() + ")" + at(e.getValue());
      }
    }
    return "thread " + id + ", which has ended or is virtual";
  }

  /** The innermost calls of a stack. */
  public static String at(StackTraceElement[] stack) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(stack.length, FRAMES); i++) {
      text.append(i == 0 ? " at " : ", ").append(stack[i]);
    }
    return text.toString();
  }
}
