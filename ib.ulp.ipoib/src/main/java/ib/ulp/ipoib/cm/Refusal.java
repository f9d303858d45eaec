package ib.ulp.ipoib.cm;

import java.util.Locale;

/** Why a message of the connection manager was refused, or passed over. */
public enum Refusal {
  /** Not from a QP1: no connection manager sends from another one (B10). */
  SOURCE_QP,
  /** No message of the connection manager, or with a field that cannot be. */
  MALFORMED,
  /** There is no way back to the sender. */
  UNANSWERABLE,
  /** Asks for a service that nobody will listen on. */
  NO_LISTENER,
  /** Speaks of a connection that is not there. */
  UNKNOWN_CONNECTION,
  /** Asks in the name of another port than it came from (B10). */
  SOURCE,
  /** Asks another port than this one. */
  DESTINATION,
  /** Asks in another partition. */
  PARTITION,
  /** Takes packets that are shorter than IP needs. */
  MTU,
  /** Its sender has enough connections (B10). */
  PEER_LIMIT,
  /** All have enough connections (C2). */
  LIMIT,
  /** The device has no queue pair for it, or does not take its path. */
  DEVICE;

  /** {@return whether it happens between peers that mean no harm: what comes late, or to nobody} */
  boolean ordinary() {
    return this == NO_LISTENER || this == UNKNOWN_CONNECTION;
  }

  /** {@return the name for users} */
  public String label() {
    return "cm_refused_" + name().toLowerCase(Locale.ROOT);
  }
}
