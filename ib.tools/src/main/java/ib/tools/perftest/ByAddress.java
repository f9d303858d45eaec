package ib.tools.perftest;

/**
 * Runs tests whose ends meet by RDMA CM ({@code -R}, {@code -z}). It is there while the connection
 * manager is; the other tests need neither.
 */
@FunctionalInterface
public interface ByAddress {
  /**
   * Runs one end of a test on the calling thread.
   *
   * @param run the end
   * @throws ib.tools.getopt.CommandException when no peer is found, a step fails, the device is
   *     removed or the thread is interrupted
   */
  void run(Perftest run);
}
