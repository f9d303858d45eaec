package ib.ulp.ipoib.tap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The system calls of Linux for TAP devices. Pointers are numbers; calls allocate nothing. Each
 * instance is for one thread, because it holds the errno of the last call.
 */
final class Libc {
  static final int O_RDWR = 2;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;
  static final int EINTR = 4;
  static final int EAGAIN = 11;
  static final int POLLIN = 1;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MemorySegment state = Arena.ofAuto().allocate(STATE);
  private final MethodHandle open = variadic("open", 2, INT, LONG, INT);
  private final MethodHandle ioctl = variadic("ioctl", 2, INT, INT, LONG, LONG);
  private final MethodHandle socket = call("socket", INT, INT, INT, INT);
  private final MethodHandle bind = call("bind", INT, INT, LONG, INT);
  private final MethodHandle setns = call("setns", INT, INT, INT);
  private final MethodHandle read = call("read", LONG, INT, LONG, LONG);
  private final MethodHandle write = call("write", LONG, INT, LONG, LONG);
  private final MethodHandle writev = call("writev", LONG, INT, LONG, INT);
  private final MethodHandle poll = call("poll", INT, LONG, LONG, INT);
  private final MethodHandle eventfd = call("eventfd", INT, INT, INT);
  private final MethodHandle close = call("close", INT, INT);
  private final MethodHandle strerror = call("strerror", LONG, INT);

  /**
   * Finds the functions of libc.
   *
   * @throws IOException when this is not 64-bit Linux, or libc cannot be accessed
   */
  static Libc find() throws IOException {
    boolean linux =
        System.getProperty("os.name", "").equals("Linux") && ValueLayout.ADDRESS.byteSize() == 8;
    if (!linux) {
      throw new IOException("TAP devices are for 64-bit Linux");
    }
    try {
      return new Libc();
    } catch (RuntimeException | LinkageError e) {
      throw new IOException("no access to libc: " + e, e);
    }
  }

  private static MethodHandle call(String name, ValueLayout result, ValueLayout... arguments) {
    return handle(name, FunctionDescriptor.of(result, arguments));
  }

  private static MethodHandle variadic(
      String name, int fixed, ValueLayout result, ValueLayout... arguments) {
    return handle(
        name,
        FunctionDescriptor.of(result, arguments),
        Linker.Option.firstVariadicArg(Math.min(fixed, arguments.length)));
  }

  private static MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = new Linker.Option[options.length + 1];
    System.arraycopy(options, 0, all, 0, options.length);
    all[options.length] = Linker.Option.captureCallState("errno");
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type, all);
  }

  int errno() {
    return (int) ERRNO.get(state, 0L);
  }

  int open(MemorySegment path, int flags) {
    try {
      return (int) open.invokeExact(state, path.address(), flags);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int ioctl(int fd, long request, long argument) {
    try {
      return (int) ioctl.invokeExact(state, fd, request, argument);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int datagramSocket() {
    return socket(2, 2, 0);
  }

  /** Opens a socket with O_CLOEXEC, so that programs started later do not inherit it. */
  int socket(int domain, int type, int protocol) {
    try {
      return (int) socket.invokeExact(state, domain, type | O_CLOEXEC, protocol);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int bind(int fd, long address, int length) {
    try {
      return (int) bind.invokeExact(state, fd, address, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Moves the calling thread, and no other, to a namespace. */
  int setns(int fd, int kind) {
    try {
      return (int) setns.invokeExact(state, fd, kind);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long read(int fd, long to, long length) {
    try {
      return (long) read.invokeExact(state, fd, to, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long write(int fd, long from, long length) {
    try {
      return (long) write.invokeExact(state, fd, from, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long writev(int fd, long pieces, int count) {
    try {
      return (long) writev.invokeExact(state, fd, pieces, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int poll(long fds, long count, int milliseconds) {
    try {
      return (int) poll.invokeExact(state, fds, count, milliseconds);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Opens an eventfd: a non-blocking file descriptor that is readable after a write. */
  int eventfd() {
    try {
      return (int) eventfd.invokeExact(state, 0, O_NONBLOCK | O_CLOEXEC);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int close(int fd) {
    try {
      return (int) close.invokeExact(state, fd);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@return an exception with the last errno and its text} */
  SystemCallException failure(String what) {
    int errno = errno();
    try {
      long text = (long) strerror.invokeExact(state, errno);
      String why = MemorySegment.ofAddress(text).reinterpret(256).getString(0);
      return new SystemCallException(what, why, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@return the result of the last system call}
   *
   * @param result that result
   * @param what what was attempted
   * @throws SystemCallException when the result is below 0
   */
  int check(int result, String what) throws SystemCallException {
    if (result < 0) {
      throw failure(what);
    }
    return result;
  }

  private static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException("a system call cannot throw", e);
  }
}
