package ib.ulp.ipoib.cm;

import java.util.Locale;

/** The reasons why a connection manager message is rejected or dropped. */
public enum Refusal {
  /** The message came from another queue pair than QP1, so not from a connection manager (B10). */
  SOURCE_QP,
  /** The message has an unknown attribute, or a field outside its range. */
  MALFORMED,
  /** The sender cannot be reached. */
  UNANSWERABLE,
  /** The REQ asks for a service ID that no interface listens to. */
  NO_LISTENER,
  /** The message names a connection that does not exist. */
  UNKNOWN_CONNECTION,
  /** The REQ names another port as sender than the port that its datagram came from (B10). */
  SOURCE,
  /** The REQ is for another port. */
  DESTINATION,
  /** The REQ is for another partition. */
  PARTITION,
  /** The peer does not accept packets as long as IP needs. */
  MTU,
  /** The sender's port has the most connections that one port may have (B10). */
  PEER_LIMIT,
  /** All peers together have the most connections that the interface accepts (C2). */
  LIMIT,
  /** The device refuses a queue pair for the connection, or its path. */
  DEVICE;

  /**
   * {@return whether correct peers cause this too, by a late message or one to a closed interface}
   */
  boolean ordinary() {
    return this == NO_LISTENER || this == UNKNOWN_CONNECTION;
  }

  /** {@return the name of the counter} */
  public String label() {
    return "cm_refused_" + name().toLowerCase(Locale.ROOT);
  }
}
