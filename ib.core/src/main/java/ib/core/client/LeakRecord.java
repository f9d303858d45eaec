package ib.core.client;

import java.util.List;

/**
 * An object that a client left behind (S32, CC-20). Plain text throughout: it stays readable after
 * the client's bundle is gone (B10).
 *
 * @param client who made it
 * @param device device name
 * @param object kind and number, for example {@code QP 17}
 * @param ageNs how long it lived, nanoseconds
 * @param thread the thread that made it
 * @param stack where it was made, innermost first
 * @param pinnedBy the objects that used it
 */
public record LeakRecord(
    String client,
    String device,
    String object,
    long ageNs,
    String thread,
    List<String> stack,
    List<String> pinnedBy) {

  /** Copies the lists. */
  public LeakRecord {
    stack = List.copyOf(stack);
    pinnedBy = List.copyOf(pinnedBy);
  }
}
