package ib.core.client;

import java.util.List;

/**
 * A client, as {@code ib:clients} shows it.
 *
 * @param name its name
 * @param sequence its place in the order of adds, from 1
 * @param after the names it waits for
 * @param bindings one per device
 */
public record ClientStatus(String name, long sequence, List<String> after, List<Binding> bindings) {

  /** Copies the lists. */
  public ClientStatus {
    after = List.copyOf(after);
    bindings = List.copyOf(bindings);
  }

  /** The states of a binding. */
  public enum State {
    /** Not bound. */
    NONE,
    /** Inside add. */
    ADDING,
    /** Bound. */
    LIVE,
    /** Inside remove. */
    REMOVING,
    /** Add failed. */
    REJECTED,
    /** Did not return from remove before the deadline: revoked (CC-19). */
    BROKEN
  }

  /**
   * One client on one device.
   *
   * @param device device name
   * @param state the state
   * @param addNs time in the last add, nanoseconds
   * @param removeNs time in the last remove, nanoseconds
   * @param lastError why the last add or remove failed, or empty
   */
  public record Binding(String device, State state, long addNs, long removeNs, String lastError) {}
}
