package ib.driver.verbs.abi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The part of Linux's C library that the driver calls. */
public final class Libc {
  /** Error numbers that the driver tells apart. */
  public static final int EPERM = 1;

  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int ENODEV = 19;
  public static final int EINVAL = 22;
  public static final int ENOSYS = 38;
  public static final int ENODATA = 61;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ENOBUFS = 105;
  public static final int ETIMEDOUT = 110;

  static final int NONBLOCK_CLOEXEC = 0x800 | 0x80000;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_RDWR = 2;

  final Function poll = find("poll");
  final Function eventfd = find("eventfd");
  final Function eventfdWrite = find("eventfd_write");
  final Function eventfdRead = find("eventfd_read");

  /** {@code write}, of the C library. */
  public final Function write = find("write");

  /** {@code close}, of the C library. */
  public final Function close = find("close");

  final Function socket = find("socket");
  final Function bind = find("bind");
  final Function recv = find("recv");
  final Function strerror = find("strerror");
  final Function getrlimit = find("getrlimit");

  private final MethodHandle fcntl =
      Linker.nativeLinker()
          .downcallHandle(
              symbol("fcntl"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT),
              Linker.Option.firstVariadicArg(2));

  private final MethodHandle open =
      Linker.nativeLinker()
          .downcallHandle(
              symbol("open"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT),
              Linker.Option.firstVariadicArg(2),
              Linker.Option.captureCallState("errno"));

  /** Finds the functions. */
  public Libc() {}

  private static MemorySegment symbol(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).orElseThrow();
  }

  private static Function find(String name) {
    return new Function(name, symbol(name));
  }

  /**
   * Opens a file to read and write, which a read does not wait for.
   *
   * @param frame of the calling thread; has errno afterwards
   * @param path the file
   * @return the file descriptor; -1 when the kernel refuses
   */
  public int open(Frame frame, String path) {
    MemorySegment text = frame.zeros(path.length() * 4L + 1);
    text.setString(0, path);
    try {
      return (int) open.invokeExact(frame.state, text.address(), O_RDWR | NONBLOCK_CLOEXEC, 0);
    } catch (Throwable e) {
      throw Function.unexpected(e);
    }
  }

  /** Makes reads of a file descriptor return at once. {@return whether that was done} */
  public boolean nonBlocking(int fd) {
    try {
      return (int) fcntl.invokeExact(fd, F_SETFL, O_NONBLOCK) == 0;
    } catch (Throwable e) {
      throw Function.unexpected(e);
    }
  }

  /** {@return the bytes that this process may lock in memory; -1 when there is no limit} */
  public long lockedMemory() {
    final int memlock = 8;
    try (Frame frame = new Frame()) {
      MemorySegment limit = frame.zeros(16);
      return (int) frame.call(getrlimit, memlock, limit.address()) == 0
          ? limit.get(ValueLayout.JAVA_LONG, 0)
          : 0;
    }
  }
}
