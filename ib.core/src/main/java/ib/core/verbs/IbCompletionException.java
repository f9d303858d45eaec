package ib.core.verbs;

/** A request has completed, and not with success ({@link WorkCompletion#check}). */
public class IbCompletionException extends IbException {
  private static final long serialVersionUID = 1L;

  private final WcStatus status;

  /**
   * Reports errno EIO.
   *
   * @param completion the completion
   */
  public IbCompletionException(WorkCompletion completion) {
    super(
        Errno.EIO, completion.values(), completion.status().label(), completion.status().advice());
    status = completion.status();
  }

  /** {@return the status of the completion} */
  public WcStatus status() {
    return status;
  }
}
