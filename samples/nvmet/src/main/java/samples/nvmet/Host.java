package samples.nvmet;

import java.util.Arrays;

/**
 * The identity that a host claims: an I/O queue is of the controller that the same host has made.
 *
 * @param nqn its name
 * @param id its identifier, 16 bytes
 */
record Host(String nqn, byte[] id) {
  private static final int MAX_NQN = 223;

  boolean isNamed() {
    return !nqn.isEmpty() && nqn.length() <= MAX_NQN;
  }

  boolean isSameAs(Host other) {
    return nqn.equals(other.nqn) && Arrays.equals(id, other.id);
  }
}
