package ib.core.internal.callback;

import ib.core.client.Violation;
import ib.core.spi.ContractReports;
import ib.core.verbs.AnyContext;
import ib.core.verbs.IbContractException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of the contract of the verbs, and the log of violations. One per midlayer.
 *
 * <p>A thread is in an atomic section while it runs a callback that may not sleep (S26). While
 * checking is on, methods that may sleep refuse to run there (S1), and callbacks look at the stack
 * below them (S20).
 */
public final class Contract implements ContractReports {
  /** System property that turns checking on, {@code true} or {@code false}. */
  public static final String PROPERTY = "ib.check";

  /**
   * Whose the objects are that the checks themselves make. A driver that holds these calls up is
   * reported for that, and what the calls leave behind then is not.
   */
  public static final String CHECK = "lock check";

  private static final Logger LOG = LoggerFactory.getLogger("ib.core.callback");
  private static final long ALWAYS_LOGGED = 10;

  // one array per thread, of a class of the JDK, so that a foreign thread keeps no bundle alive
  private static final ThreadLocal<int[]> ATOMIC = ThreadLocal.withInitial(() -> new int[1]);

  private final ViolationLog violations = new ViolationLog();
  private final Parties parties = new Parties();
  private final AtomicLong handlerExceptions = new AtomicLong();
  private volatile boolean checking;

  /**
   * Makes a contract.
   *
   * @param checking whether checking is on
   */
  public Contract(boolean checking) {
    this.checking = checking;
  }

  /** {@return a contract that checks when the system property {@value #PROPERTY} says so} */
  public static Contract fromProperty() {
    return new Contract(Boolean.getBoolean(PROPERTY));
  }

  /** {@return whether checking is on} */
  @AnyContext
  public boolean checking() {
    return checking;
  }

  /**
   * Turns checking on or off.
   *
   * @param on whether to check
   */
  @AnyContext
  public void checking(boolean on) {
    this.checking = on;
  }

  /** The calling thread begins a callback that may not sleep; nests. */
  @AnyContext
  public static void enterAtomic() {
    ATOMIC.get()[0]++;
  }

  /** The calling thread ends a callback that may not sleep. */
  @AnyContext
  public static void exitAtomic() {
    ATOMIC.get()[0]--;
  }

  /** {@return whether the calling thread is in a callback that may not sleep} */
  @AnyContext
  public static boolean inAtomic() {
    return ATOMIC.get()[0] > 0;
  }

  /**
   * Refuses a method that may sleep in an atomic section, while checking is on.
   *
   * @param culprit the caller, for the report
   * @param object the object that the method belongs to
   * @param method the name of the method
   * @throws IbContractException S26, and S1 from the callee's side
   */
  @AnyContext
  public void requireMaySleep(String culprit, Object object, String method) {
    if (checking && inAtomic()) {
      String why = "may sleep and was called from a callback that must not";
      report("S26", culprit, object + "." + method + ' ' + why, List.of());
      throw new IbContractException("S26", object + "." + method, why);
    }
  }

  /**
   * Refuses a registration in an atomic section, whether checking is on or not. A registration
   * promises that adds are done when it returns, and adds never run in an atomic section.
   *
   * @param culprit the caller, for the report
   * @param object the object that the method belongs to
   * @param method the name of the method
   * @throws IbContractException S29
   */
  @AnyContext
  public void requireOutside(String culprit, Object object, String method) {
    if (inAtomic()) {
      String why = "was called from a callback that must not sleep";
      report("S29", culprit, object + "." + method + ' ' + why, List.of());
      throw new IbContractException("S29", object + "." + method, why);
    }
  }

  /**
   * Refuses a hot-plug method in an atomic section, while checking is on. While checking is off,
   * this method only records the violation, and the caller then waits for another thread.
   *
   * @param culprit the caller, for the report
   * @param object the object that the method belongs to
   * @param method the name of the method
   * @throws IbContractException while checking is on
   */
  @AnyContext
  public void tellInside(String culprit, Object object, String method) {
    requireMaySleep(culprit, object, method);
    if (inAtomic()) {
      String text = object + "." + method + " waits in a callback that must not sleep";
      report("S29", culprit, text, List.of());
    }
  }

  /**
   * Records a violation with the caller's stack.
   *
   * @param clause the clause that was broken
   * @param culprit the part that broke it
   * @param text what happened
   * @param otherStack the stack of the other thread, or empty
   */
  @AnyContext
  public void report(String clause, String culprit, String text, List<String> otherStack) {
    report(new Violation(clause, culprit, text, Stacks.here(), otherStack));
  }

  @Override
  @AnyContext
  public boolean inAtomicSection() {
    return inAtomic();
  }

  @Override
  @AnyContext
  public void report(Violation violation) {
    if (!violation.culprit().equals(CHECK)) {
      violations.add(Advice.to(parties.named(violation)));
    }
  }

  /**
   * Reports of a part carry its bundle's name from now on, so that one party has one name.
   *
   * @param part the name of a client or of a device
   * @param bundle the symbolic name of the bundle that it comes from
   */
  public void know(String part, String bundle) {
    parties.know(part, bundle);
  }

  /** {@return the latest violations, oldest first, at most 1,000} */
  @AnyContext
  public List<Violation> violations() {
    return violations.list();
  }

  /** {@return how many violations there were, including those that were only counted} */
  @AnyContext
  public long violationCount() {
    return violations.total();
  }

  /**
   * Counts an exception of a handler, and logs the first ten and then each power of two.
   *
   * @param what the handler, for the log
   * @param thrown the exception
   */
  public void handlerThrew(String what, Throwable thrown) {
    long n = handlerExceptions.incrementAndGet();
    if (n <= ALWAYS_LOGGED || Long.bitCount(n) == 1) {
      LOG.warn("{} threw (exception {} of a handler); the core goes on", what, n, thrown);
    }
  }

  /** {@return how many exceptions handlers threw} */
  @AnyContext
  public long handlerExceptions() {
    return handlerExceptions.get();
  }
}
