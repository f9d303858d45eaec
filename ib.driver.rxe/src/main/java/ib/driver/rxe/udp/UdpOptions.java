package ib.driver.rxe.udp;

import java.util.Set;

/**
 * The options of a {@link UdpWire}.
 *
 * @param port UDP port, of this end and of all peers: 4791 (IBA annex A17.4.2)
 * @param bufferBytes requested bytes of each socket's receive buffer, and of its send buffer
 * @param busyPollNs how long the receiving thread polls before it sleeps
 * @param path how packets are sent and received
 * @param sourcePorts source ports of each address beside the well-known one, at most
 * @param gso whether the system cuts long sends into packets
 * @param progress which thread receives
 * @param idCheck which computed IPv4 identifications are accepted
 * @param local how packets reach other devices of this driver
 * @param quirks deviations from the specification
 */
public record UdpOptions(
    int port,
    int bufferBytes,
    long busyPollNs,
    Path path,
    int sourcePorts,
    Gso gso,
    Progress progress,
    IdCheck idCheck,
    Local local,
    Set<Quirk> quirks) {
  /** Copies the set. */
  public UdpOptions {
    quirks = Set.copyOf(quirks);
  }

  /**
   * Returns whether a quirk is configured.
   *
   * @param quirk the quirk
   * @return whether it is configured
   */
  public boolean has(Quirk quirk) {
    return quirks.contains(quirk);
  }

  /** How packets are sent and received. */
  public enum Path {
    /** By system calls where they are available, else by channels of Java. */
    AUTO,
    /** By system calls; where they are not available the device cannot be plugged. */
    NATIVE,
    /** By channels of Java. */
    PORTABLE
  }

  /** Whether the system cuts long sends into packets (UDP_SEGMENT). */
  public enum Gso {
    /** For peers where a trial has shown that cut packets arrive. */
    AUTO,
    /** Always. */
    ON,
    /** Never. */
    OFF
  }

  /** Which thread receives. */
  public enum Progress {
    /** The device's own thread. */
    THREAD,
    /**
     * The thread that polls an empty completion queue; the device's own thread while none polls.
     */
    POLL
  }

  /**
   * Which IPv4 identifications are accepted that were computed from the ICRC. A sender may choose
   * any for a packet that must not be fragmented (RFC 6864 section 4.1).
   */
  public enum IdCheck {
    /** Any: no packet with a correct ICRC is dropped, and one of 65536 damaged packets passes. */
    LOOSE,
    /**
     * Only one that follows the peer's last one, as those of Linux and of this driver do. Fewer
     * damaged packets pass; most packets of a peer that numbers otherwise are dropped.
     */
    STRICT
  }

  /** How packets reach other devices of this driver, in this JVM. */
  public enum Local {
    /**
     * In memory, without the system: firewall, traffic control and Wireshark on the host do not see
     * them. While one of the two devices is captured or has faults, as datagrams.
     */
    MEMORY,
    /** As datagrams, by the system. */
    WIRE
  }

  /** The port that is registered for RoCEv2. */
  public static final int ROCE_PORT = 4791;
}
