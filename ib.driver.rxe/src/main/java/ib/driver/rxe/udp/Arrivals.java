package ib.driver.rxe.udp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * An array of struct mmsghdr of 64-bit Linux, into which one call receives datagrams. For one
 * thread at a time.
 */
final class Arrivals implements AutoCloseable {
  private static final int HEADER = 64;
  private static final int CONTROL_BYTES = 128;
  private static final int EACH = HEADER + 16 + 32 + CONTROL_BYTES;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final Arena arena = Arena.ofShared();
  private final int most;
  private final MemorySegment memory;
  private final MemorySegment state;
  private final @Nullable ReceiveBuffer[] buffers;
  private int wanted =
      1; // datagrams to ask for in one call; asking for one that is not there costs time
  // control data of the datagram that look() read last
  int segment;
  int trafficClass;
  int flowLabel;
  int hopLimit;

  Arrivals(int most) {
    this.most = most;
    this.memory = arena.allocate((long) most * EACH, 64);
    this.state = arena.allocate(Libc.stateBytes(), 8);
    this.buffers = new @Nullable ReceiveBuffer[most];
    for (int i = 0; i < most; i++) {
      long at = header(i);
      memory.set(LONG, at, memory.address() + name(i));
      memory.set(LONG, at + 16, memory.address() + name(i) - 16);
      memory.set(LONG, at + 24, 1);
      memory.set(LONG, at + 32, memory.address() + control(i));
    }
  }

  private static long header(int i) {
    return (long) i * HEADER;
  }

  private long rest(int i) {
    return (long) most * HEADER + (long) i * (EACH - HEADER);
  }

  private long name(int i) {
    return rest(i) + 16;
  }

  private long control(int i) {
    return rest(i) + 16 + 32;
  }

  /**
   * Receives waiting datagrams; asks for more in one call when the last call was full. Does not
   * block.
   *
   * @return the number of datagrams, 0 when none waits; -1 for an error
   */
  int receive(Libc libc, int fd, ReceivePool pool) {
    int ready = 0;
    while (ready < wanted) {
      ReceiveBuffer b = buffers[ready];
      if (b == null) {
        b = pool.buffer();
        if (b == null) {
          break;
        }
        b.use();
        buffers[ready] = b;
        memory.set(LONG, rest(ready), b.bytes.address());
        memory.set(LONG, rest(ready) + 8, b.bytes.byteSize());
      }
      memory.set(INT, header(ready) + 8, SocketAddress.BYTES);
      memory.set(LONG, header(ready) + 40, CONTROL_BYTES);
      memory.set(INT, header(ready) + 48, 0);
      ready++;
    }
    if (ready == 0) {
      return 0;
    }
    int n = libc.recvmmsg(state, fd, memory.address(), ready);
    wanted = n == wanted ? Math.min(most, 2 * wanted) : Math.max(1, n);
    return n >= 0 ? n : Libc.errno(state) == Libc.EAGAIN ? 0 : -1;
  }

  /** {@return the buffer of a datagram, which the caller must {@link ReceiveBuffer#unuse}} */
  ReceiveBuffer take(int i) {
    ReceiveBuffer b = buffers[i];
    if (b == null) {
      throw new IllegalStateException("no datagram was received at index " + i);
    }
    buffers[i] = null;
    return b;
  }

  int length(int i) {
    return memory.get(INT, header(i) + 56);
  }

  /** {@return bytes of the first datagrams} */
  int bytes(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += length(i);
    }
    return sum;
  }

  int port(int i) {
    return SocketAddress.port(memory, name(i));
  }

  long high(int i, boolean four) {
    return SocketAddress.high(memory, name(i), four);
  }

  long low(int i, boolean four) {
    return SocketAddress.low(memory, name(i), four);
  }

  /**
   * Reads the kernel's control data of a datagram: segment size, traffic class, flow label, hop
   * limit.
   */
  void look(int i) {
    segment = 0;
    trafficClass = 0;
    flowLabel = 0;
    hopLimit = 0;
    long at = control(i);
    long end = at + Math.min(CONTROL_BYTES, memory.get(LONG, header(i) + 40));
    while (at + 16 <= end) {
      long length = memory.get(LONG, at);
      if (length < 17 || at + length > end) {
        return;
      }
      int level = memory.get(INT, at + 8);
      int type = memory.get(INT, at + 12);
      int value =
          length >= 20
              ? memory.get(INT, at + 16)
              : memory.get(ValueLayout.JAVA_BYTE, at + 16) & 0xff;
      if (level == Libc.SOL_UDP && type == Libc.UDP_GRO) {
        segment = value;
      } else if (level == Libc.SOL_IP && type == Libc.IP_TOS
          || level == Libc.SOL_IPV6 && type == Libc.IPV6_TCLASS) {
        trafficClass = value & 0xff;
      } else if (level == Libc.SOL_IP && type == Libc.IP_TTL
          || level == Libc.SOL_IPV6 && type == Libc.IPV6_HOPLIMIT) {
        hopLimit = value & 0xff;
      } else if (level == Libc.SOL_IPV6 && type == Libc.IPV6_FLOWINFO) {
        flowLabel = Integer.reverseBytes(value) & 0xfffff;
      }
      at += length + 7 & ~7L;
    }
  }

  /** Releases the buffers that were prepared for receiving, and the memory. */
  @Override
  public void close() {
    for (int i = 0; i < most; i++) {
      ReceiveBuffer b = buffers[i];
      if (b != null) {
        b.unuse();
        buffers[i] = null;
      }
    }
    arena.close();
  }
}
