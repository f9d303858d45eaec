package ib.web.ladder;

/**
 * Two queue pairs that exchange packets.
 *
 * @param local number of the device's queue pair; -1 when it is not known
 * @param remote number of the peer's queue pair; -1 when it is not known
 */
record Pair(int local, int remote) {
  /** QP 0 and QP 1 are those of management. */
  static final int MAX_MANAGEMENT = 1;

  boolean isManagement() {
    return local >= 0 && local <= MAX_MANAGEMENT || remote >= 0 && remote <= MAX_MANAGEMENT;
  }

  static String name(int qpn) {
    return qpn < 0 ? "?" : String.format("0x%06x", qpn);
  }

  @Override
  public String toString() {
    return name(local) + "-" + name(remote);
  }
}
