package ib.bench.net;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.nio.ByteOrder;

/** A UDP socket of Linux as a program in C would use it: the raw limit. */
final class Socket implements AutoCloseable {
  static final int BATCH = 64;
  static final int LONG = 65_536;
  private static final int HEADER = 64;
  private static final int CONTROL = 64;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfShort NET =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int UDP = 17;
  private static final int UDP_SEGMENT = 103;
  private static final int UDP_GRO = 104;
  private static final int DONT_WAIT = 0x40;
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle SOCKET = call("socket", INT, INT, INT, INT);
  private static final MethodHandle BIND = call("bind", INT, INT, WORD, INT);
  private static final MethodHandle CONNECT = call("connect", INT, INT, WORD, INT);
  private static final MethodHandle OPTION = call("setsockopt", INT, INT, INT, INT, WORD, INT);
  private static final MethodHandle SENDMSG = call("sendmsg", WORD, INT, WORD, INT);
  private static final MethodHandle SENDMMSG = call("sendmmsg", INT, INT, WORD, INT, INT);
  private static final MethodHandle RECVMMSG = call("recvmmsg", INT, INT, WORD, INT, INT, WORD);
  private static final MethodHandle CLOSE = call("close", INT, INT);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment state = arena.allocate(STATE);
  private final MemorySegment peer = arena.allocate(16, 8);
  private final MemorySegment out = arena.allocate((long) BATCH * LONG, 64);
  private final MemorySegment in = arena.allocate((long) BATCH * LONG, 64);
  private final MemorySegment outHeaders = headers(out);
  private final MemorySegment inHeaders = headers(in);
  private final int fd;
  private final boolean connected;
  private long received; // by the last call, in bytes

  Socket(InetAddress here, int localPort, InetAddress there, int peerPort, boolean connected)
      throws Throwable {
    this.connected = connected;
    fd = check((int) SOCKET.invokeExact(state, 2, 2, UDP));
    option(1, 7, 4 << 20);
    option(1, 8, 4 << 20);
    option(0, 10, 2); // don't fragment
    MemorySegment local = arena.allocate(16, 8);
    address(local, here, localPort);
    check((int) BIND.invokeExact(state, fd, local.address(), 16));
    address(peer, there, peerPort);
    if (connected) {
      check((int) CONNECT.invokeExact(state, fd, peer.address(), 16));
    }
  }

  private static MethodHandle call(String name, ValueLayout result, ValueLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        FunctionDescriptor.of(result, arguments),
        Linker.Option.captureCallState("errno"));
  }

  private MemorySegment headers(MemorySegment data) {
    MemorySegment all = arena.allocate((long) BATCH * (HEADER + 16 + CONTROL), 64);
    for (int i = 0; i < BATCH; i++) {
      long at = (long) i * HEADER;
      all.set(WORD, at + 16, all.address() + vector(i));
      all.set(WORD, at + 24, 1);
      all.set(WORD, vector(i), data.address() + (long) i * LONG);
    }
    return all;
  }

  private static long vector(int i) {
    return (long) BATCH * HEADER + (long) i * (16 + CONTROL);
  }

  private static void address(MemorySegment to, InetAddress address, int port) {
    to.set(ValueLayout.JAVA_SHORT, 0, (short) 2);
    to.set(NET, 2, (short) port);
    MemorySegment.copy(address.getAddress(), 0, to, ValueLayout.JAVA_BYTE, 4, 4);
  }

  private void option(int level, int name, int value) throws Throwable {
    MemorySegment v = arena.allocate(INT);
    v.set(INT, 0, value);
    check((int) OPTION.invokeExact(state, fd, level, name, v.address(), 4));
  }

  private int check(int result) {
    if (result < 0) {
      throw new IllegalStateException("errno " + (int) ERRNO.get(state, 0L));
    }
    return result;
  }

  /** Has the system join what follows each other. */
  void joins() throws Throwable {
    option(UDP, UDP_GRO, 1);
  }

  /** What message i will carry. */
  MemorySegment message(int i) {
    return out.asSlice((long) i * LONG, LONG);
  }

  /** Received message i. */
  MemorySegment arrived(int i) {
    return in.asSlice((long) i * LONG, LONG);
  }

  private void prepare(int i, int bytes, int segment) {
    long at = (long) i * HEADER;
    outHeaders.set(WORD, at, connected ? 0 : peer.address());
    outHeaders.set(INT, at + 8, connected ? 0 : 16);
    outHeaders.set(WORD, vector(i) + 8, bytes);
    long control = vector(i) + 16;
    if (segment > 0) {
      outHeaders.set(WORD, control, 18);
      outHeaders.set(INT, control + 8, UDP);
      outHeaders.set(INT, control + 12, UDP_SEGMENT);
      outHeaders.set(ValueLayout.JAVA_SHORT, control + 16, (short) segment);
    }
    outHeaders.set(WORD, at + 32, segment > 0 ? outHeaders.address() + control : 0);
    outHeaders.set(WORD, at + 40, segment > 0 ? 24 : 0);
  }

  /** Sends message 0, cut by the system if a segment is given; returns whether it was taken. */
  boolean send(int bytes, int segment) {
    prepare(0, bytes, segment);
    try {
      return (long) SENDMSG.invokeExact(state, fd, outHeaders.address(), DONT_WAIT) >= 0;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends messages in one call; returns how many were taken. */
  int sendAll(int count, int bytes) {
    for (int i = 0; i < count; i++) {
      prepare(i, bytes, 0);
    }
    try {
      return Math.max(
          0, (int) SENDMMSG.invokeExact(state, fd, outHeaders.address(), count, DONT_WAIT));
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Receives what there is; returns how many messages. */
  int receive(int most, boolean waits) {
    for (int i = 0; i < most; i++) {
      long at = (long) i * HEADER;
      inHeaders.set(WORD, vector(i) + 8, LONG);
      inHeaders.set(WORD, at + 32, inHeaders.address() + vector(i) + 16);
      inHeaders.set(WORD, at + 40, CONTROL);
    }
    try {
      int n =
          (int)
              RECVMMSG.invokeExact(state, fd, inHeaders.address(), most, waits ? 0 : DONT_WAIT, 0L);
      received = 0;
      for (int i = 0; i < n; i++) {
        received += inHeaders.get(INT, (long) i * HEADER + 56);
      }
      return Math.max(0, n);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@return the bytes of received message i} */
  int length(int i) {
    return inHeaders.get(INT, (long) i * HEADER + 56);
  }

  /** {@return bytes received by the last call} */
  long received() {
    return received;
  }

  /** Ends a wait of a receiver within 100 ms. */
  void hurry() throws Throwable {
    MemorySegment v = arena.allocate(16, 8);
    v.set(WORD, 8, 100_000);
    check((int) OPTION.invokeExact(state, fd, 1, 20, v.address(), 16));
  }

  @Override
  public void close() {
    try {
      int ignored = (int) CLOSE.invokeExact(state, fd);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    arena.close();
  }
}
