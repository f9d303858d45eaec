package ib.driver.rxe.udp;

import ib.core.verbs.IbNotSupportedException;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * System calls of Linux that {@code java.nio.channels} lacks. Pointers are numbers, so that a call
 * allocates nothing. Any thread may call, with its own memory for the errno.
 */
final class Libc {
  static final int AF_INET = 2;
  static final int AF_INET6 = 10;
  static final int AF_NETLINK = 16;
  private static final int SOCK_RAW_NONBLOCK_CLOEXEC = 3 | 0x800 | 0x80000;
  private static final int NETLINK_ROUTE = 0;
  static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
  static final int SOL_SOCKET = 1;
  static final int SO_REUSEADDR = 2;
  static final int SO_SNDBUF = 7;
  static final int SO_RCVBUF = 8;
  static final int SO_MEMINFO = 55;
  static final int SOL_IP = 0;
  static final int IP_TOS = 1;
  static final int IP_TTL = 2;
  static final int IP_MTU_DISCOVER = 10;
  static final int IP_PMTUDISC_DO = 2;
  static final int IP_RECVTTL = 12;
  static final int IP_RECVTOS = 13;
  static final int IP_MULTICAST_IF = 32;
  static final int IP_ADD_MEMBERSHIP = 35;
  static final int SOL_IPV6 = 41;
  static final int IPV6_FLOWINFO = 11;
  static final int IPV6_UNICAST_HOPS = 16;
  static final int IPV6_MULTICAST_IF = 17;
  static final int IPV6_JOIN_GROUP = 20;
  static final int IPV6_V6ONLY = 26;
  static final int IPV6_FLOWINFO_SEND = 33;
  static final int IPV6_RECVHOPLIMIT = 51;
  static final int IPV6_HOPLIMIT = 52;
  static final int IPV6_RECVTCLASS = 66;
  static final int IPV6_TCLASS = 67;
  static final int IPV6_AUTOFLOWLABEL = 70;
  static final int SOL_UDP = 17;
  static final int UDP_NO_CHECK6_RX = 102;
  static final int UDP_SEGMENT = 103;
  static final int UDP_GRO = 104;
  static final int MSG_DONTWAIT = 0x40;
  static final int MSG_NOSIGNAL = 0x4000;
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int EAGAIN = 11;
  static final int EINVAL = 22;
  static final int ENOBUFS = 105;
  static final int EADDRINUSE = 98;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final String PORTABLE = "io = auto, which uses channels of Java";
  private static final Found FOUND = find();

  /** The system calls; null where they are not available. */
  static final @Nullable Libc INSTANCE = FOUND.libc;

  private final MethodHandle socket = call("socket", INT, INT, INT, INT);
  private final MethodHandle bind = call("bind", INT, INT, LONG, INT);
  private final MethodHandle setsockopt = call("setsockopt", INT, INT, INT, INT, LONG, INT);
  private final MethodHandle getsockopt = call("getsockopt", INT, INT, INT, INT, LONG, LONG);
  private final MethodHandle close = call("close", INT, INT);
  private final MethodHandle sendmsg = call("sendmsg", LONG, INT, LONG, INT);
  private final MethodHandle sendmmsg = call("sendmmsg", INT, INT, LONG, INT, INT);
  private final MethodHandle recvmmsg = call("recvmmsg", INT, INT, LONG, INT, INT, LONG);
  private final MethodHandle recv = call("recv", LONG, INT, LONG, LONG, INT);
  private final MethodHandle poll = call("poll", INT, LONG, LONG, INT);
  private final MethodHandle eventfd = call("eventfd", INT, INT, INT);
  private final MethodHandle eventfdWrite = call("eventfd_write", INT, INT, LONG);
  private final MethodHandle eventfdRead = call("eventfd_read", INT, INT, LONG);
  private final MethodHandle strerror = call("strerror", LONG, INT);

  private Libc() {}

  /** The system calls; or why they are not available, and what to try. */
  private record Found(@Nullable Libc libc, String why, String hint) {}

  private static Found find() {
    String system = System.getProperty("os.name", "");
    long bits = Byte.SIZE * ValueLayout.ADDRESS.byteSize();
    if (!system.equals("Linux") || bits != Long.SIZE) {
      String why = "the driver's system calls are those of Linux on 64 bits, not of ";
      return new Found(null, why + system + " on " + bits, PORTABLE);
    }
    try {
      return new Found(new Libc(), "", "");
    } catch (IllegalCallerException e) { // udp_native shows that the portable path is used
      String permit = "start Java with --enable-native-access=ALL-UNNAMED, or ";
      return new Found(null, "this JVM denies native access: " + e, permit + PORTABLE);
    } catch (RuntimeException | LinkageError e) {
      return new Found(
          null, "the C library lacks a function that the driver calls: " + e, PORTABLE);
    }
  }

  /** {@return the refusal of {@code io = native} where {@link #INSTANCE} is null} */
  static IbNotSupportedException missing() {
    return new IbNotSupportedException("io = native", FOUND.why, FOUND.hint);
  }

  private static MethodHandle call(String name, ValueLayout result, ValueLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        FunctionDescriptor.of(result, arguments),
        Linker.Option.captureCallState("errno"));
  }

  /** {@return bytes of the memory that takes a call's errno} */
  static long stateBytes() {
    return STATE.byteSize();
  }

  static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  int socket(MemorySegment state, int family) {
    try {
      return (int) socket.invokeExact(state, family, SOCK_DGRAM_NONBLOCK_CLOEXEC, SOL_UDP);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Opens a socket for the announcements of links and addresses; it does not block. */
  int netlink(MemorySegment state) {
    try {
      return (int) socket.invokeExact(state, AF_NETLINK, SOCK_RAW_NONBLOCK_CLOEXEC, NETLINK_ROUTE);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long recv(MemorySegment state, int fd, MemorySegment into) {
    try {
      return (long) recv.invokeExact(state, fd, into.address(), into.byteSize(), MSG_DONTWAIT);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int bind(MemorySegment state, int fd, MemorySegment address) {
    try {
      return (int) bind.invokeExact(state, fd, address.address(), (int) address.byteSize());
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int option(MemorySegment state, int fd, int level, int name, MemorySegment value) {
    int bytes = (int) value.byteSize();
    try {
      return (int) setsockopt.invokeExact(state, fd, level, name, value.address(), bytes);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Reads an option into memory, which has the length as a number at an offset. */
  int read(MemorySegment state, int fd, int level, int name, long into, long length) {
    try {
      return (int) getsockopt.invokeExact(state, fd, level, name, into, into + length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int close(MemorySegment state, int fd) {
    try {
      return (int) close.invokeExact(state, fd);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long sendmsg(MemorySegment state, int fd, long message) {
    try {
      return (long) sendmsg.invokeExact(state, fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int sendmmsg(MemorySegment state, int fd, long messages, int count) {
    int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    try {
      return (int) sendmmsg.invokeExact(state, fd, messages, count, flags);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int recvmmsg(MemorySegment state, int fd, long messages, int count) {
    try {
      return (int) recvmmsg.invokeExact(state, fd, messages, count, MSG_DONTWAIT, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int poll(MemorySegment state, long fds, long count, int milliseconds) {
    try {
      return (int) poll.invokeExact(state, fds, count, milliseconds);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Opens an eventfd: a non-blocking file descriptor that is readable after {@link #ring}. */
  int bell(MemorySegment state) {
    try {
      return (int) eventfd.invokeExact(state, 0, 0x800 | 0x80000);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int ring(MemorySegment state, int bell) {
    try {
      return (int) eventfdWrite.invokeExact(state, bell, 1L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int unring(MemorySegment state, int bell, long value) {
    try {
      return (int) eventfdRead.invokeExact(state, bell, value);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@return an exception with the text of the last errno; a BindException for EADDRINUSE} */
  IOException failure(MemorySegment state, String what) {
    int errno = errno(state);
    try {
      long text = (long) strerror.invokeExact(state, errno);
      String message = MemorySegment.ofAddress(text).reinterpret(256).getString(0);
      return errno == EADDRINUSE
          ? new java.net.BindException(message)
          : new IOException(what + ": " + message);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException("a system call cannot throw", e);
  }
}
