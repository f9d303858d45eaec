package ib.engine.wire;

import ib.core.verbs.Gid;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The medium of one port, supplied by the driver.
 *
 * <p>The wire owns a packet from {@link #transmit} on and must either hand it to exactly one {@link
 * WirePort#receive}, at once or later, or end it with {@link Packet#release}. To deliver to several
 * ports (multicast) it hands out {@link Packet#replicate replicas}. Packets of one sender to one
 * receiver are delivered in order; a wire that cannot promise that (UDP) costs retransmissions, not
 * correctness.
 */
public interface Wire {
  /**
   * Sends a packet. The destination is {@link Packet#dlid}; when that is 0 (Ethernet) it is the GID
   * {@link Packet#dgidHigh}, {@link Packet#dgidLow}. A packet to the sending port's own address is
   * delivered to that port. A multicast packet ({@link Packet#isMulticast}) goes to every member
   * port except the sending one: the engine has looped it back to its own queue pairs already.
   *
   * <p>A wire may keep the bytes of packets until the run ends ({@link RunContext#gather}), to send
   * many at a time.
   *
   * @param packet the packet, complete
   * @param run to be handed on
   */
  void transmit(Packet packet, RunContext run);

  /**
   * Whether every packet must be a real one of at most the path MTU. When false (a wire inside this
   * JVM that nobody can look at, D5) one packet may carry several MTUs of a message and then stands
   * for {@link Packet#psnCount} sequence numbers. Asked once per message, so it may change with
   * capture or faults.
   *
   * @return whether to segment
   */
  boolean segments();

  /**
   * Whether a receive buffer of a datagram always begins with 40 bytes for a GRH that are filled
   * even when the packet had none: true on Ethernet, where the IP header is put there; false on
   * InfiniBand, where they are reserved but only written when the packet had a GRH.
   *
   * @return whether every packet counts as global
   */
  default boolean alwaysGlobal() {
    return false;
  }

  /**
   * The port that a packet would be handed to within the call of {@link #transmit}, undisturbed and
   * seen by nobody. To such a port the engine makes no packet: it executes the request there (D5).
   * Asked once per message, so it may change with capture or faults.
   *
   * @param dlid destination of the packet
   * @param bytes the longest packet that the message would take
   * @return the device's own port ({@link WirePort#direct}), or null when packets are needed
   */
  default @Nullable WirePort direct(int dlid, int bytes) {
    return null;
  }

  /**
   * How often {@link #direct} may have come to answer otherwise, so that an answer can be kept
   * until this changes: it has changed when the call returns that began to watch or to disturb
   * packets, or changed where they go. That there is no such way is asked again now and then too,
   * for the end of a disturbance need not be counted.
   *
   * @return a number that is equal only while the answers are
   */
  default long changes() {
    return 0;
  }

  /**
   * What a message that is longer than its receive is answered with (IBA 9.7.5.2.7), where peers
   * expect something else.
   *
   * @return the AETH syndrome, 8 bits
   */
  default int tooLongSyndrome() {
    return 0x61;
  }

  /**
   * Whether whoever polls a completion queue that is empty is to call {@link #progress}. Asked
   * once, when the device is built.
   *
   * @return whether packets are received by pollers too
   */
  default boolean polled() {
    return false;
  }

  /**
   * Receives what has arrived and runs what it sets going, on the caller's thread; nothing happens
   * while another thread is at it. Never blocks, never runs consumer code (S20).
   *
   * @return whether something had arrived
   */
  default boolean progress() {
    return false;
  }

  /** Pollers may go to sleep: from now on somebody else receives. Never blocks. */
  default void pollersRest() {}

  /**
   * A first queue pair of the port has been attached to a group: its packets are wanted here.
   * Control path; must not call the engine.
   *
   * @param group multicast GID
   * @param mlid multicast LID, 0 on Ethernet
   * @throws ib.core.verbs.IbInvalidException when there cannot be such a group
   */
  default void join(Gid group, int mlid) {}

  /**
   * The last queue pair has left a group.
   *
   * @param group as it was joined
   * @param mlid as it was joined
   */
  default void leave(Gid group, int mlid) {}

  /**
   * The port has dropped a packet whose P_Key or Q_Key does not fit (IBA 10.2.5, 10.9.4): a medium
   * with management may tell its manager. Data path: never blocks, allocates nothing.
   *
   * @param packet the packet, not to be kept
   * @param pkey whether it was the P_Key, else the Q_Key
   */
  default void keyViolation(Packet packet, boolean pkey) {}

  /**
   * What the medium counts by itself, beside the counters of the engine. Control path.
   *
   * @return names and values, in order
   */
  default Map<String, Long> counters() {
    return Map.of();
  }
}
