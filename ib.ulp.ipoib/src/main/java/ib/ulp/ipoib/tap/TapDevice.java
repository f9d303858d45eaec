package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Octets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TAP or TUN device of the kernel and the sleep of the loop that serves it: O_NONBLOCK, poll and
 * a bell, for whoever closes a descriptor under a blocked reader leaves the device behind (P1). It
 * may be moved into another network namespace while it is open.
 */
final class TapDevice implements Loop.Sleeper, AutoCloseable {
  private static final long TUNSETIFF = 0x400454caL;
  private static final long TUNSETCARRIER = 0x400454e2L;
  private static final long TUNSETOFFLOAD = 0x400454d0L;
  private static final long SIOCSIFMTU = 0x8922;
  private static final long SIOCSIFHWADDR = 0x8924;
  private static final int IFF_TUN = 1;
  private static final int IFF_TAP = 2;
  private static final int IFF_NO_PI = 0x1000;
  private static final int IFF_VNET_HDR = 0x4000;
  private static final int OFFLOADS = 1 | 2 | 4; // TUN_F_CSUM, TSO4, TSO6
  private static final int USO = 0x20 | 0x40; // TUN_F_USO4, TUN_F_USO6: not before Linux 6.2
  private static final int IFREQ = 40;
  private static final int NAME_MOST = 15;
  private static final int ETHERNET = 1;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(128, 8);
  private final MemorySegment request = memory.asSlice(0, IFREQ);
  private final MemorySegment polled = memory.asSlice(64, 16);
  private final MemorySegment one = memory.asSlice(96, 8);
  private final MemorySegment drained = memory.asSlice(104, 8);
  private final Libc libc;
  private final Libc waker; // has an errno of its own, for any thread
  private final String name;
  private final int kind;
  private final int bell;
  private int fd; // below 0: lost
  private boolean reading = true;
  private boolean closed;
  private final AtomicInteger ringing = new AtomicInteger(); // below 0: closed

  /**
   * Makes a TAP device, of Ethernet frames.
   *
   * @param name at most 15 characters
   * @throws IOException when the kernel refuses it
   */
  TapDevice(String name) throws IOException {
    this(name, IFF_TAP);
  }

  /** Makes a TUN device, of IP packets. */
  static TapDevice tun(String name) throws IOException {
    return new TapDevice(name, IFF_TUN);
  }

  private TapDevice(String name, int kind) throws IOException {
    this.name = name;
    libc = Libc.find();
    waker = Libc.find();
    if (name.length() > NAME_MOST) {
      throw new IOException("'" + name + "': a name has at most " + NAME_MOST + " characters");
    }
    this.kind = kind;
    bell = libc.eventfd();
    boolean whole = false;
    try {
      check(bell, "eventfd");
      fd = attach();
      whole = true;
    } finally {
      if (!whole) {
        libc.close(bell);
        arena.close();
      }
    }
    one.set(ValueLayout.JAVA_LONG, 0, 1);
    polled.set(ValueLayout.JAVA_INT, 0, bell);
    polled.set(ValueLayout.JAVA_SHORT, 4, (short) Libc.POLLIN);
    polled.set(ValueLayout.JAVA_INT, 8, fd);
    polled.set(ValueLayout.JAVA_SHORT, 12, (short) Libc.POLLIN);
  }

  private int attach() throws IOException {
    int made;
    try (Arena path = Arena.ofConfined()) {
      made =
          libc.open(
              path.allocateFrom("/dev/net/tun"), Libc.O_RDWR | Libc.O_NONBLOCK | Libc.O_CLOEXEC);
    }
    check(made, "/dev/net/tun");
    boolean whole = false;
    try {
      named();
      request.set(ValueLayout.JAVA_SHORT, 16, (short) (kind | IFF_NO_PI | IFF_VNET_HDR));
      check(libc.ioctl(made, TUNSETIFF, request.address()), "device " + name);
      if (libc.ioctl(made, TUNSETOFFLOAD, OFFLOADS | USO) < 0) {
        check(libc.ioctl(made, TUNSETOFFLOAD, OFFLOADS), "offloads of " + name);
      }
      whole = true;
      return made;
    } finally {
      if (!whole) {
        libc.close(made);
      }
    }
  }

  /** Lets the device go that the kernel has taken away. */
  void lose() {
    if (fd >= 0) {
      libc.close(fd);
      fd = -1;
      polled.set(ValueLayout.JAVA_INT, 8, fd); // poll(2) passes over it
    }
  }

  /** Makes a device of the same name again, in this process's network namespace. */
  void again() throws IOException {
    fd = attach();
    polled.set(ValueLayout.JAVA_INT, 8, fd);
    reading = true;
  }

  private void named() {
    request.fill((byte) 0);
    MemorySegment.copy(
        MemorySegment.ofArray(name.getBytes(StandardCharsets.US_ASCII)),
        0,
        request,
        0,
        name.length());
  }

  private void check(int result, String what) throws IOException {
    if (result < 0) {
      throw libc.failure(what);
    }
  }

  String name() {
    return name;
  }

  /** {@return whether there is an Ethernet header before a packet} */
  boolean ethernet() {
    return kind == IFF_TAP;
  }

  /** {@return its descriptor} */
  int fd() {
    return fd;
  }

  /** Says whether packets pass, as {@code ip link} shows it. */
  void carrier(boolean on) throws IOException {
    request.set(ValueLayout.JAVA_INT, 0, on ? 1 : 0);
    check(libc.ioctl(fd, TUNSETCARRIER, request.address()), "carrier of " + name);
  }

  /** Sets the Ethernet address, wherever the device was moved. */
  void mac(long mac) throws IOException {
    named();
    request.set(ValueLayout.JAVA_SHORT, 16, (short) ETHERNET);
    Octets.u48(request, 18, mac);
    check(libc.ioctl(fd, SIOCSIFHWADDR, request.address()), "Ethernet address of " + name);
  }

  /** Sets the MTU; only while the device is in this process's network namespace. */
  void mtu(int bytes) throws IOException {
    int socket = libc.datagramSocket();
    check(socket, "socket");
    try {
      named();
      request.set(ValueLayout.JAVA_INT, 16, bytes);
      check(libc.ioctl(socket, SIOCSIFMTU, request.address()), "MTU of " + name);
    } finally {
      libc.close(socket);
    }
  }

  /**
   * Takes a frame, behind its ten bytes of virtio_net_hdr.
   *
   * @return its length with that header, 0 when there is none
   * @throws IOException when the device is gone (P2)
   */
  int read(MemorySegment into) throws IOException {
    long length = libc.read(fd, into.address(), into.byteSize());
    if (length >= 0) {
      return (int) length;
    }
    int errno = libc.errno();
    if (errno == Libc.EAGAIN || errno == Libc.EINTR) {
      return 0;
    }
    throw libc.failure("read from " + name);
  }

  /** Gives a frame to the kernel. {@return whether it took it} */
  boolean write(MemorySegment from, long length) {
    return libc.write(fd, from.address(), length) == length;
  }

  /** Gives a frame in pieces to the kernel. {@return whether it took it} */
  boolean write(MemorySegment pieces, int count, long length) {
    return libc.writev(fd, pieces.address(), count) == length;
  }

  /** While not, frames stay in the kernel's queue (D8). */
  void reading(boolean on) {
    reading = on;
  }

  @Override
  public void sleep(long nanos) {
    int milliseconds = (int) Math.min(10_000, Math.max(0, (nanos + 999_999) / 1_000_000));
    if (libc.poll(polled.address(), reading ? 2 : 1, milliseconds) > 0) {
      long rung = libc.read(bell, drained.address(), 8);
      assert rung == 8 || rung < 0; // rung, or only the device had something
    }
  }

  /** From any context: takes no lock, and the bell does not block. */
  @Override
  public void wake() {
    if (ringing.getAndIncrement() >= 0) {
      waker.write(bell, one.address(), 8);
    }
    ringing.getAndDecrement();
  }

  /** Closes the device, which the kernel then removes; on the loop. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      lose();
      ringing.getAndAdd(Integer.MIN_VALUE); // nobody begins to ring any more
      while (ringing.get() != Integer.MIN_VALUE) {
        Thread.onSpinWait(); // a write to the bell is under way: it does not block
      }
      libc.close(bell);
      arena.close();
    }
  }
}
