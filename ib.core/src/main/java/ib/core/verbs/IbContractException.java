package ib.core.verbs;

/**
 * A clause of the midlayer's contract was broken: for example a method that may sleep was called
 * from an atomic section (S1, S26). Errno is EPERM. What was refused has not been started.
 */
public class IbContractException extends IbException {
  private static final long serialVersionUID = 1L;

  private final String clause;

  /**
   * Reports a broken clause.
   *
   * @param clause the clause, for example {@code S26}
   * @param what what was attempted
   * @param why how that breaks the clause
   */
  public IbContractException(String clause, String what, String why) {
    super(Errno.EPERM, what, why + " [" + clause + "]", "");
    this.clause = clause;
  }

  /** {@return the clause, for example {@code S26}} */
  public String clause() {
    return clause;
  }
}
