package ib.driver.verbs.object;

/** The threads of a device. */
public final class Threads {
  private Threads() {}

  /**
   * Waits until a thread has ended, which was rung; an interrupt is kept for later.
   *
   * @param thread the thread
   */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
