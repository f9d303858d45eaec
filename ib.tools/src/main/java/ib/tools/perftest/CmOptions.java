package ib.tools.perftest;

import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;

/**
 * The parts of a run that are connected by RDMA CM.
 *
 * @param queuePairs whether the queue pairs under test are ({@code -R})
 * @param exchange whether the ends exchange their records over a queue pair that is, instead of TCP
 *     ({@code -R}, {@code -z})
 * @param trafficClass traffic class (TOS) of the queue pairs under test ({@code -T}), 8 bits
 */
record CmOptions(boolean queuePairs, boolean exchange, int trafficClass) {
  /** Nothing is. */
  static final CmOptions NONE = new CmOptions(false, false, 0);

  /**
   * Reads a command line.
   *
   * @throws CommandException for options that exclude one another, in perftest's words
   */
  static CmOptions of(Parsed line, QpType type) {
    boolean queuePairs = line.has("rdma_cm");
    if (queuePairs && type == QpType.UC) {
      throw new CommandException(" UC is not supported in librdmacm");
    }
    if (!queuePairs && line.has("tos")) {
      throw new CommandException(" TOS only valid for rdma_cm based QP and RawEth QP ");
    }
    boolean exchange = queuePairs || line.has("comm_rdma_cm");
    return new CmOptions(queuePairs, exchange, line.number("tos", 0, 0, 255));
  }
}
