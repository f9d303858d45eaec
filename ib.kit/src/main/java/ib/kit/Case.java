package ib.kit;

import ib.core.verbs.Cap;
import java.util.Set;

/**
 * One named case of the suite.
 *
 * @param id stable, for example {@code DATA-017}
 * @param group what it belongs to, for reports
 * @param name what is done and expected, and the clause behind it
 * @param needs capabilities without which it is skipped
 * @param lossless whether it needs a fabric that loses nothing
 * @param limits whether it wants a device with small limits
 * @param body what is done
 */
public record Case(
    String id,
    String group,
    String name,
    Set<Cap> needs,
    boolean lossless,
    boolean limits,
    Body body) {

  /** The code of a case. */
  @FunctionalInterface
  interface Body {
    void run(Trial trial) throws Exception;
  }

  /** Copies the set. */
  public Case {
    needs = Set.copyOf(needs);
  }

  /** {@return id and name, as reports show them} */
  public String title() {
    return id + " " + name;
  }

  /**
   * Runs the case on a thread of its own.
   *
   * @param bench where
   * @throws AssertionError when the device does not do what it must, or hangs
   * @throws org.opentest4j.TestAbortedException when the bench cannot, saying what is missing
   */
  public void run(Bench bench) {
    new CaseThread(this, bench).run();
  }
}
