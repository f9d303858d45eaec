package ib.ulp.ipoib.cm;

import java.util.Locale;

/** The reasons why a request, or the reply to one, is rejected by the interface that it is for. */
public enum Refusal {
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

  /** {@return the name of the counter} */
  public String label() {
    return "cm_refused_" + name().toLowerCase(Locale.ROOT);
  }
}
