package ib.core.testing;

import ib.core.verbs.IbNoMemoryException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Hooks at the entry of the operations of a {@link FakeDevice}, by the operation's name. */
public final class Faults {
  private final Map<String, Runnable> hooks = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> hits = new ConcurrentHashMap<>();

  /**
   * Runs a hook at each entry of an operation.
   *
   * @param op for example {@code createQp}, {@code destroyQp}, {@code doModify}
   * @param hook may block or throw
   */
  public void at(String op, Runnable hook) {
    hooks.put(op, hook);
  }

  /**
   * Makes an operation fail with ENOMEM until {@link #clear}.
   *
   * @param op the operation
   */
  public void fail(String op) {
    at(
        op,
        () -> {
          throw new IbNoMemoryException(op, "planted by the test", "nothing");
        });
  }

  /** Forgets all hooks. */
  public void clear() {
    hooks.clear();
  }

  /**
   * How often an operation was entered.
   *
   * @param op the operation
   * @return the number
   */
  public int hits(String op) {
    AtomicInteger n = hits.get(op);
    return n == null ? 0 : n.get();
  }

  void hit(String op) {
    AtomicInteger known =
        hits.get(op); // no lock once known: operations of any context come here too
    (known != null ? known : hits.computeIfAbsent(op, o -> new AtomicInteger())).incrementAndGet();
    Runnable hook = hooks.get(op);
    if (hook != null) {
      hook.run();
    }
  }
}
