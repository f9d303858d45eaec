package ib.engine.wire;

import ib.core.verbs.Gid;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The medium of one port, supplied by the driver.
 *
 * <p>After {@link #transmit} the packet belongs to the wire. The wire must either pass it to
 * exactly one {@link WirePort#receive}, at once or later, or call {@link Packet#release}. To
 * deliver to several ports (multicast) it passes {@link Packet#replicate replicas}. A wire delivers
 * the packets of one sender to one receiver in order. A wire that cannot guarantee the order (UDP)
 * costs retransmissions, not correctness.
 *
 * <p>Any thread may call any method, several threads at the same time; no method may block, unless
 * its text says control path.
 */
public interface Wire {
  /**
   * Sends a packet. The destination is {@link Packet#dlid}; when that is 0 (Ethernet) it is the GID
   * {@link Packet#dgidHigh}, {@link Packet#dgidLow}. A packet to the sending port's own address is
   * delivered to that port. A multicast packet ({@link Packet#isMulticast}) goes to every member
   * port except the sending one: the engine itself has delivered it to the queue pairs of the
   * sending port.
   *
   * <p>A wire may keep the bytes of packets until the run ends ({@link RunContext#gather}), to send
   * many at a time.
   *
   * @param packet the packet, complete
   * @param run the context of this call
   */
  void transmit(Packet packet, RunContext run);

  /**
   * Whether every packet must be a real one of at most the path MTU. If false, one packet may carry
   * several MTUs of a message and then stands for {@link Packet#psnCount} sequence numbers (a wire
   * inside this JVM without a capture, D5). The engine calls this once per message, so the answer
   * may change with capture or faults.
   *
   * @return whether to segment
   */
  boolean segments();

  /**
   * Whether the first 40 bytes of a datagram's receive buffer are always written. True on Ethernet,
   * where the IP header is put there. False on InfiniBand, where they are reserved for a GRH but
   * written only when the packet has one.
   *
   * @return whether every packet counts as global
   */
  default boolean alwaysGlobal() {
    return false;
  }

  /**
   * Returns the port to which {@link #transmit} would deliver a packet within the call, without
   * faults and captures. The engine makes no packet for such a port: it executes the request there
   * (D5). The engine keeps the answer until {@link #epoch} counts a change.
   *
   * @param route destination of the packet
   * @param source source GID of the packet
   * @param bytes length of the longest packet of the message
   * @return the device's own port ({@link WirePort#direct}), or null when packets are needed
   */
  default @Nullable WirePort direct(Route route, Gid source, int bytes) {
    return null;
  }

  /**
   * Returns the count of the medium's changes. All wires of one medium return the same object,
   * which the medium {@linkplain Epoch#changed counts up} after each change that makes {@link
   * #direct} return another value: that a capture or faults begin and that they end, and that a way
   * leads elsewhere. The engine keeps a value of {@link #direct} until the count changes, so it
   * never asks again after a change that was not counted. The engine calls this once for each wire.
   *
   * @return the count; a medium on which {@link #direct} is always null needs none of its own
   */
  default Epoch epoch() {
    return new Epoch();
  }

  /**
   * Returns the syndrome of the NAK for a message that is longer than its receive (IBA 9.7.5.2.7);
   * some peers expect another one.
   *
   * @return the AETH syndrome, 8 bits
   */
  default int tooLongSyndrome() {
    return 0x61;
  }

  /**
   * Whether a thread that polls an empty completion queue calls {@link #progress}. The engine calls
   * this once, when the device is created.
   *
   * @return whether polling threads receive packets too
   */
  default boolean polled() {
    return false;
  }

  /**
   * Receives the packets that have arrived and runs their queue pairs, on the caller's thread. Does
   * nothing while another thread receives. Never blocks, never runs consumer code (S20).
   *
   * @return whether a packet had arrived
   */
  default boolean progress() {
    return false;
  }

  /**
   * Polling threads are about to sleep: from now on the wire's own thread receives. Never blocks.
   */
  default void pollersRest() {}

  /**
   * Makes the wire deliver packets of a group to this port: its first queue pair has been attached.
   * Control path; must not call the engine.
   *
   * @param group multicast GID
   * @param mlid multicast LID, 0 on Ethernet
   * @throws ib.core.verbs.IbInvalidException when the address is no group of this medium
   */
  default void join(Gid group, int mlid) {}

  /**
   * Ends {@link #join}: the port's last queue pair has been detached from the group. Control path;
   * must not call the engine.
   *
   * @param group as it was joined
   * @param mlid as it was joined
   */
  default void leave(Gid group, int mlid) {}

  /**
   * Called when the port has dropped a packet because of its P_Key or Q_Key (IBA 10.2.5, 10.9.4). A
   * managed medium may send a trap. Data path: must not block or allocate.
   *
   * @param packet the packet, not to be kept
   * @param pkey whether it was the P_Key, else the Q_Key
   */
  default void keyViolation(Packet packet, boolean pkey) {}

  /**
   * Returns the medium's own counters, which the engine does not count. Control path.
   *
   * @return names and values, in order
   */
  default Map<String, Long> counters() {
    return Map.of();
  }
}
