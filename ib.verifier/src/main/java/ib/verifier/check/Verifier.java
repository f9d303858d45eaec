package ib.verifier.check;

import ib.core.spi.ContractReports;
import ib.verifier.probe.Watch;
import ib.verifier.weave.BlockingRules;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules: what woven code must not do, and where. */
public final class Verifier implements Watch {
  private static final String MONITOR_ADVICE =
      "use an atomic variable, a queue without a lock, or ReentrantLock.tryLock";

  // of a class of the JDK, so that a foreign thread keeps no bundle alive
  private static final ThreadLocal<ArrayDeque<String>> SECTIONS =
      ThreadLocal.withInitial(ArrayDeque::new);

  private final Reports reports;
  private final BlockingRules rules;

  /**
   * Makes the verifier.
   *
   * @param core where violations are reported, null while there is no midlayer
   * @param rules what to do instead of a call that may block
   */
  public Verifier(Supplier<@Nullable ContractReports> core, BlockingRules rules) {
    this.reports = new Reports(core);
    this.rules = rules;
  }

  @Override
  public void enter(String method) {
    SECTIONS.get().push(method);
  }

  @Override
  public void exit() {
    SECTIONS.get().poll(); // empty when the method was entered before the verifier began
  }

  @Override
  public void mightSleep(String call, String culprit) {
    String advice = rules.instead(call);
    blocked(call + " may block", culprit, advice.isEmpty() ? MONITOR_ADVICE : advice);
  }

  /** In a callback the midlayer itself refuses such a call. */
  @Override
  public void mayCallSleeping(String call, String culprit) {
    if (!SECTIONS.get().isEmpty()) {
      blocked(call + " may sleep", culprit, "call it on a thread of your own");
    }
  }

  private void blocked(String what, String culprit, String instead) {
    String method = SECTIONS.get().peek();
    if (method != null) {
      String text = what + " and was called in " + method + ", which any context may call";
      reports.report("S2-S9", culprit, text, instead);
    } else if (reports.inCallback()) {
      String text = what + " and was called from a callback that must not";
      reports.report("S26", culprit, text, instead);
    }
  }
}
