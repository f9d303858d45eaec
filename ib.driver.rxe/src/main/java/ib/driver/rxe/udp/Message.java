package ib.driver.rxe.udp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The structure msghdr of 64-bit Linux with all that it points to, for one datagram to send. */
final class Message {
  static final int BYTES = 512;

  private static final long IOVEC = 64;
  private static final long NAME = 80;
  private static final long CONTROL = 112;
  private static final long STATE = 256;
  private static final int CONTROL_SPACE = 24; // of an int
  private static final long CONTROL_LENGTH = 20;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final MemorySegment memory;
  private final MemorySegment state;
  private final long address;
  private final long payload;

  /**
   * Prepares it.
   *
   * @param memory {@value #BYTES} bytes, native
   * @param payload where what is sent lies
   */
  Message(MemorySegment memory, MemorySegment payload) {
    this.memory = memory;
    this.state = memory.asSlice(STATE, Libc.stateBytes());
    this.address = memory.address();
    this.payload = payload.address();
    memory.fill((byte) 0);
    memory.set(LONG, 0, address + NAME);
    memory.set(LONG, 16, address + IOVEC);
    memory.set(LONG, 24, 1);
    memory.set(LONG, IOVEC, this.payload);
  }

  /** {@return where errno is} */
  MemorySegment state() {
    return state;
  }

  /** Completes it; returns its address. */
  long write(NativeEndpoint from, int length, long high, long low, int trafficClass, int hopLimit) {
    int name = SocketAddress.write(memory, NAME, from.four, high, low, from.port, from.scope());
    memory.set(INT, 8, name);
    memory.set(LONG, IOVEC + 8, length);
    long at = CONTROL;
    if (trafficClass != 0) {
      control(at, from.four, Libc.IP_TOS, Libc.IPV6_TCLASS, trafficClass);
      at += CONTROL_SPACE;
    }
    if (hopLimit > 1) { // applications write 1 where the system is meant to choose
      control(at, from.four, Libc.IP_TTL, Libc.IPV6_HOPLIMIT, hopLimit);
      at += CONTROL_SPACE;
    }
    memory.set(LONG, 32, at == CONTROL ? 0 : address + CONTROL);
    memory.set(LONG, 40, at - CONTROL);
    return address;
  }

  private void control(long at, boolean four, int typeFour, int typeSix, int value) {
    memory.set(LONG, at, CONTROL_LENGTH);
    memory.set(INT, at + 8, four ? Libc.SOL_IP : Libc.SOL_IPV6);
    memory.set(INT, at + 12, four ? typeFour : typeSix);
    memory.set(INT, at + 16, value);
  }
}
