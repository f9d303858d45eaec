package ib.driver.rxe.udp;

import java.util.Set;

/**
 * How a wire works.
 *
 * @param port UDP port, of this end and of all peers: 4791 (IBA annex A17.4.2)
 * @param bufferBytes asked for as receive and send buffer of each socket
 * @param busyPollNs how long the receiving thread looks for more before it sleeps
 * @param path what does the work
 * @param sourcePorts how many source ports beside the well-known one each address may send from
 * @param gso whether the system cuts long sends into packets
 * @param progress who receives
 * @param idCheck what an IPv4 identification may be that was solved from the ICRC
 * @param quirks where it does as its peers do
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
    Set<Quirk> quirks) {
  /** Copies the set. */
  public UdpOptions {
    quirks = Set.copyOf(quirks);
  }

  /**
   * Asks for a quirk.
   *
   * @param quirk which
   * @return whether it is wanted
   */
  public boolean has(Quirk quirk) {
    return quirks.contains(quirk);
  }

  /** What does the work. */
  public enum Path {
    /** System calls where there are any, else what every Java has. */
    AUTO,
    /** System calls, or nothing. */
    NATIVE,
    /** What every Java has. */
    PORTABLE
  }

  /** Whether the system cuts long sends into packets (UDP_SEGMENT). */
  public enum Gso {
    /** To a peer that what was cut has been seen to reach. */
    AUTO,
    /** Always. */
    ON,
    /** Never. */
    OFF
  }

  /** Who receives. */
  public enum Progress {
    /** A thread of the device's own. */
    THREAD,
    /** Whoever polls a completion queue in vain; a thread of the device's own while nobody does. */
    POLL
  }

  /**
   * What an IPv4 identification may be that was solved from the ICRC. The sender of a packet that
   * is not to be fragmented may give it any (RFC 6864 section 4.1).
   */
  public enum IdCheck {
    /** Any: no packet whose ICRC is right is refused, and one that is damaged passes in 65536. */
    LOOSE,
    /**
     * One that follows what the peer sent before, as those of Linux and of this driver do: of
     * damaged packets fewer pass, and of a peer that numbers otherwise hardly any is heard.
     */
    STRICT
  }

  /** The port that is registered for RoCEv2. */
  public static final int ROCE_PORT = 4791;
}
