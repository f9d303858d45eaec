package ib.driver.rxe.udp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How full a socket's receive buffer is, and which datagrams are to be marked for congestion
 * because of that. A socket's buffer is the last queue on the way of a datagram, and no router
 * marks there; so the receiver does, as a router would by random early detection (RFC 3168 section
 * 5): none below {@code MIN} of the buffer, all above {@code MAX}, in between by chance. The
 * senders are then notified (IBA A17.9.3) and send less before the buffer is full and datagrams are
 * lost. For the thread that holds the receive ring.
 */
final class Backlog {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int MEMINFO = 36; // bytes of the nine counters of Linux
  private static final int LENGTH = MEMINFO; // offset of the length that the system changes
  private static final int ALLOCATED = 0; // offset of SK_MEMINFO_RMEM_ALLOC
  private static final int BUFFER = 4; // offset of SK_MEMINFO_RCVBUF
  private static final int MANY = 8; // datagrams in one receive
  private static final int PART = 8; // of the buffer in one receive
  private static final double MIN = 3.0 / 8; // Linux subtracts what was read late, up to a quarter
  private static final double MAX = 3.0 / 4;

  private final MemorySegment memory;
  private final MemorySegment state;
  private int buffer; // bytes that the system counts at most, as it said last
  private double share; // of the datagrams that are marked, 0 to 1
  private long random = 1;

  Backlog(MemorySegment memory, MemorySegment state) {
    this.memory = memory;
    this.state = state;
  }

  /** {@return bytes of the memory that an object needs} */
  static long bytes() {
    return MEMINFO + 2L * Integer.BYTES;
  }

  /** {@return whether one receive has had so much that more may be waiting} */
  boolean isDue(int datagrams, int bytes) {
    return datagrams >= MANY || bytes >= buffer / PART;
  }

  /** Asks the system about a socket; it marks nothing where the system does not say. */
  void look(Libc libc, int fd) {
    memory.set(INT, LENGTH, MEMINFO);
    boolean known =
        libc.read(state, fd, Libc.SOL_SOCKET, Libc.SO_MEMINFO, memory.address(), LENGTH) == 0;
    buffer = known ? memory.get(INT, BUFFER) : 0;
    share = known ? share(memory.get(INT, ALLOCATED), buffer) : 0;
  }

  /** Marks nothing until the next look. */
  void clear() {
    share = 0;
  }

  /** {@return the share of datagrams to mark, 0 to 1} */
  static double share(int allocated, int buffer) {
    double full = allocated / (double) Math.max(1, buffer);
    return Math.clamp((full - MIN) / (MAX - MIN), 0, 1);
  }

  /** {@return whether the next datagram is to be marked} */
  boolean marks() {
    if (share == 0) {
      return false;
    }
    random = random * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
    return (random >>> 40) < share * (1 << 24);
  }
}
