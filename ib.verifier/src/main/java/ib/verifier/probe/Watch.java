package ib.verifier.probe;

/**
 * The receiver of the calls that woven code makes. The methods run on the threads of the code that
 * is watched, from any context, and neither wait nor throw.
 */
public interface Watch {
  /**
   * The calling thread enters a method that any context may call.
   *
   * @param method class and name
   */
  void enter(String method);

  /** The calling thread leaves the method that it entered last. */
  void exit();

  /**
   * The calling thread is about to make a call that may block.
   *
   * @param call which
   * @param culprit the bundle whose code makes it
   */
  void mightSleep(String call, String culprit);

  /**
   * The calling thread is about to call a method of the midlayer that may sleep.
   *
   * @param call class and name
   * @param culprit the bundle whose code calls
   */
  void mayCallSleeping(String call, String culprit);
}
