package ib.driver.rxe.udp;

import ib.driver.rxe.udp.Destinations.Destination;
import ib.engine.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An array of struct mmsghdr of 64-bit Linux with everything it points to, which one call sends.
 * For one thread at a time.
 */
final class Departures implements AutoCloseable {
  private static final int HEADER = 64;
  private static final int CONTROL_SPACE = 24; // of an int, or of two bytes
  private static final int CONTROL_LENGTH = 20; // of an int
  private static final int SEGMENT_LENGTH = 18; // of two bytes
  private static final int NAME = 16; // after the iovec
  private static final int FLOW_INFO = 4; // in the name
  private static final int CONTROL = NAME + 32;
  private static final int REST = CONTROL + 3 * CONTROL_SPACE + 8;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfInt NET_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final MemorySegment state;
  private final long rests;
  private final long payload;

  /**
   * Creates the array.
   *
   * @param most largest number of messages
   * @param payload address of the memory that messages are sent from
   */
  Departures(int most, long payload) {
    this.payload = payload;
    this.rests = (long) most * HEADER;
    this.memory = arena.allocate((long) most * (HEADER + REST), 64);
    this.state = arena.allocate(Libc.stateBytes(), 8);
    for (int i = 0; i < most; i++) {
      long at = (long) i * HEADER;
      memory.set(LONG, at, memory.address() + rest(i) + NAME);
      memory.set(LONG, at + 16, memory.address() + rest(i));
      memory.set(LONG, at + 24, 1);
    }
  }

  private long rest(int i) {
    return rests + (long) i * REST;
  }

  /**
   * Begins a message at offset {@code at} of the payload memory, with the traffic class and the
   * flow label of its first packet; hop limit 0 leaves the socket's hop limit.
   */
  void begin(int i, NativeEndpoint by, Destination to, long at, Packet p, int hopLimit) {
    long rest = rest(i);
    int name =
        SocketAddress.write(memory, rest + NAME, by.four, to.high(), to.low(), by.port, by.scope);
    long header = (long) i * HEADER;
    memory.set(INT, header + 8, name);
    memory.set(LONG, rest, payload + at);
    if (!by.four) {
      memory.set(NET_INT, rest + NAME + FLOW_INFO, p.flowLabel);
    }
    long first = rest + CONTROL;
    long next = first;
    if (p.trafficClass != 0) {
      next = control(next, by.four, Libc.IP_TOS, Libc.IPV6_TCLASS, p.trafficClass);
    }
    if (hopLimit != 0) {
      next = control(next, by.four, Libc.IP_TTL, Libc.IPV6_HOPLIMIT, hopLimit);
    }
    memory.set(LONG, header + 32, next == first ? 0 : memory.address() + first);
    memory.set(LONG, header + 40, next - first);
  }

  private long control(long at, boolean four, int typeFour, int typeSix, int value) {
    memory.set(LONG, at, CONTROL_LENGTH);
    memory.set(INT, at + 8, four ? Libc.SOL_IP : Libc.SOL_IPV6);
    memory.set(INT, at + 12, four ? typeFour : typeSix);
    memory.set(INT, at + 16, value);
    return at + CONTROL_SPACE;
  }

  /** Ends a message of one datagram. */
  void end(int i, int bytes) {
    memory.set(LONG, rest(i) + 8, bytes);
  }

  /** Ends a message that the system cuts into datagrams of {@code segment} bytes. */
  void end(int i, int bytes, int segment) {
    end(i, bytes);
    long header = (long) i * HEADER;
    long length = memory.get(LONG, header + 40);
    long first = rest(i) + CONTROL;
    long at = first + length;
    memory.set(LONG, at, SEGMENT_LENGTH);
    memory.set(INT, at + 8, Libc.SOL_UDP);
    memory.set(INT, at + 12, Libc.UDP_SEGMENT);
    memory.set(ValueLayout.JAVA_SHORT, at + 16, (short) segment);
    memory.set(LONG, header + 32, memory.address() + first);
    memory.set(LONG, header + 40, length + CONTROL_SPACE);
  }

  /**
   * Sends messages over one socket. Does not block.
   *
   * @return how many messages the system accepted; if 0, {@link #errno} has the reason
   */
  int send(Libc libc, int fd, int from, int count) {
    long at = memory.address() + (long) from * HEADER;
    if (count == 1) {
      return libc.sendmsg(state, fd, at) < 0 ? 0 : 1;
    }
    return Math.max(0, libc.sendmmsg(state, fd, at, count));
  }

  int errno() {
    return Libc.errno(state);
  }

  @Override
  public void close() {
    arena.close();
  }
}
