package ib.core.client;

import java.util.List;

/**
 * How a device was removed.
 *
 * @param device device name
 * @param totalNs from the first step to GONE, nanoseconds
 * @param steps one per client, in the order in which they were removed
 * @param leaks what clients left behind
 */
public record RemovalReport(String device, long totalNs, List<Step> steps, List<LeakRecord> leaks) {

  /** Copies the lists. */
  public RemovalReport {
    steps = List.copyOf(steps);
    leaks = List.copyOf(leaks);
  }

  /**
   * One client's remove.
   *
   * @param client client name
   * @param sequence its place in the order of adds
   * @param removeNs time in remove, nanoseconds
   * @param error what went wrong, or empty
   */
  public record Step(String client, long sequence, long removeNs, String error) {}
}
