package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TAP or TUN device, and the sleeper of the loop that serves it. It uses O_NONBLOCK, poll(2) and
 * an eventfd (the bell) that wakes the loop, because closing a file descriptor under a blocked read
 * leaves the device behind (P1). Users may move the device into another network namespace. Any
 * thread may call {@link #wake}; the rest is used on the loop's thread only.
 */
final class TapDevice implements Loop.Sleeper, Kernel, AutoCloseable {
  private static final long TUNSETIFF = 0x400454caL;
  private static final long TUNSETCARRIER = 0x400454e2L;
  private static final long TUNSETOFFLOAD = 0x400454d0L;
  private static final long SIOCSIFMTU = 0x8922;
  private static final long SIOCSIFHWADDR = 0x8924;
  private static final int IFF_TUN = 1;
  private static final int IFF_TAP = 2;
  private static final int IFF_MULTI_QUEUE = 0x100;
  private static final int IFF_NO_PI = 0x1000;
  private static final int IFF_VNET_HDR = 0x4000;
  private static final int OFFLOADS = 1 | 2 | 4; // TUN_F_CSUM, TSO4, TSO6
  private static final int USO = 0x20 | 0x40; // TUN_F_USO4, TUN_F_USO6, since Linux 6.2
  private static final int IFREQ = 40;
  private static final int MAX_NAME = 15;
  private static final int ETHERNET = 1;
  private static final int POLLFD = 8;
  private static final int POLLED = 112;
  private static final int MAX_IN_TURN = 16;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final MemorySegment request;
  private final MemorySegment polled; // the bell, and then the queues
  private final MemorySegment one;
  private final MemorySegment drained;

  /** The system calls, for use on the loop's thread only. */
  final Libc libc;

  private final Libc waker; // for wake(), on any thread; its errno is not used
  final String name;
  private final int kind;
  private final int bell;
  private final int[] fds; // file descriptor of each queue; below 0: lost
  private final long[] reads; // frames read from each queue
  private int turn; // the queue to read next
  private int inTurn;
  private boolean reading = true;
  private boolean closed;
  private final AtomicInteger ringing =
      new AtomicInteger(); // threads inside wake(); below 0: closed

  /**
   * Creates a TAP device, which carries Ethernet frames.
   *
   * @param name at most 15 characters
   * @param queues number of queues, over which the kernel spreads flows
   * @throws IOException when the kernel refuses the device
   */
  static TapDevice tap(String name, int queues) throws IOException {
    return new TapDevice(name, IFF_TAP, queues);
  }

  /** Creates a TUN device, which carries IP packets. */
  static TapDevice tun(String name, int queues) throws IOException {
    return new TapDevice(name, IFF_TUN, queues);
  }

  private TapDevice(String name, int kind, int queues) throws IOException {
    this.name = name;
    fds = new int[queues];
    reads = new long[queues];
    memory = arena.allocate(POLLED + (long) POLLFD * (1 + queues), 8);
    request = memory.asSlice(0, IFREQ);
    one = memory.asSlice(96, 8);
    drained = memory.asSlice(104, 8);
    polled = memory.asSlice(POLLED);
    libc = Libc.find();
    waker = Libc.find();
    if (name.length() > MAX_NAME) {
      throw new IOException("'" + name + "': a name has at most " + MAX_NAME + " characters");
    }
    this.kind = kind;
    bell = libc.eventfd();
    boolean whole = false;
    try {
      check(bell, "eventfd");
      attach();
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
  }

  /** Opens all queues, or none. */
  private void attach() throws IOException {
    Arrays.fill(fds, -1);
    boolean whole = false;
    try {
      for (int i = 0; i < fds.length; i++) {
        fds[i] = queue();
        polled.set(ValueLayout.JAVA_INT, POLLFD * (i + 1L), fds[i]);
        polled.set(ValueLayout.JAVA_SHORT, POLLFD * (i + 1L) + 4, (short) Libc.POLLIN);
      }
      whole = true;
    } finally {
      if (!whole) {
        lose();
      }
    }
  }

  private int queue() throws IOException {
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
      int several = fds.length > 1 ? IFF_MULTI_QUEUE : 0;
      request.set(ValueLayout.JAVA_SHORT, 16, (short) (kind | several | IFF_NO_PI | IFF_VNET_HDR));
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

  /** Closes all queues, of a device that the kernel has removed or that is closed. */
  void lose() {
    for (int i = 0; i < fds.length; i++) {
      if (fds[i] >= 0) {
        libc.close(fds[i]);
        fds[i] = -1;
        polled.set(
            ValueLayout.JAVA_INT, POLLFD * (i + 1L), -1); // poll(2) ignores a negative descriptor
      }
    }
  }

  /** Creates a device of the same name again, in this process's network namespace. */
  void again() throws IOException {
    attach();
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
    libc.check(result, what);
  }

  @Override
  public boolean ethernet() {
    return kind == IFF_TAP;
  }

  /** {@return the file descriptor of the first queue; below 0 when the device is lost} */
  int fd() {
    return fds[0];
  }

  /** {@return how many frames were read from a queue} */
  long reads(int queue) {
    return reads[queue];
  }

  /** Sets the carrier that {@code ip link} shows. */
  void carrier(boolean on) throws IOException {
    request.set(ValueLayout.JAVA_INT, 0, on ? 1 : 0);
    check(libc.ioctl(fds[0], TUNSETCARRIER, request.address()), "carrier of " + name);
  }

  /** Sets the Ethernet address, in any network namespace. */
  void mac(long mac) throws IOException {
    named();
    request.set(ValueLayout.JAVA_SHORT, 16, (short) ETHERNET);
    Octets.u48(request, 18, mac);
    check(libc.ioctl(fds[0], SIOCSIFHWADDR, request.address()), "Ethernet address of " + name);
  }

  /** Sets the MTU, in any network namespace and under any name. */
  void mtu(int bytes) throws IOException {
    int socket = Whereabouts.socket(this, libc::datagramSocket);
    try {
      check(Whereabouts.name(this, request), "name of " + name);
      request.set(ValueLayout.JAVA_INT, 16, bytes);
      check(libc.ioctl(socket, SIOCSIFMTU, request.address()), "MTU of " + name);
    } finally {
      libc.close(socket);
    }
  }

  /**
   * Reads a frame from any queue, with its virtio_net_hdr of ten bytes. Does not block.
   *
   * @return the length with that header; 0 when there is no frame
   * @throws IOException when the kernel has removed the device (P2)
   */
  int read(MemorySegment into) throws IOException {
    for (int tried = 0; tried < fds.length; tried++) {
      int queue = turn;
      long length = libc.read(fds[queue], into.address(), into.byteSize());
      int errno = length >= 0 ? 0 : libc.errno();
      if (errno != 0 && errno != Libc.EAGAIN && errno != Libc.EINTR) {
        throw libc.failure("read from " + name);
      }
      // after some frames the next queue is read, so that a full queue does not starve the others
      if (errno != 0 || ++inTurn == MAX_IN_TURN) {
        turn = queue + 1 == fds.length ? 0 : queue + 1;
        inTurn = 0;
      }
      if (errno == 0) {
        reads[queue]++;
        return (int) length;
      }
    }
    return 0;
  }

  /**
   * Returns the same queue for all packets of a flow: the kernel sends a flow by the queue that the
   * flow was last written to.
   */
  @Override
  public int queueOf(MemorySegment s, IpPacket ip) {
    if (fds.length == 1) {
      return 0;
    }
    int hash = 31 * ip.from().hashCode() + ip.to().hashCode();
    boolean ports = ip.protocol() == IpPacket.TCP || ip.protocol() == IpPacket.UDP;
    if (ports && ip.payloadLength() >= 4) {
      hash = 31 * hash + Octets.u32(s, ip.payloadAt());
    }
    long spread =
        hash * 0x9e3779b9L
            & 0xffff_ffffL; // multiplied, because neighbouring ports would otherwise share a queue
    return (int) (spread * fds.length >>> 32);
  }

  @Override
  public boolean write(int queue, MemorySegment from, long length) {
    return libc.write(fds[queue], from.address(), length) == length;
  }

  @Override
  public boolean write(int queue, MemorySegment pieces, int count, long length) {
    return libc.writev(fds[queue], pieces.address(), count) == length;
  }

  /**
   * Sets whether {@link #sleep} waits for frames; while off, frames stay in the kernel's queue
   * (D8).
   */
  void reading(boolean on) {
    reading = on;
  }

  @Override
  public void sleep(long nanos) {
    int milliseconds = (int) Math.min(10_000, Math.max(0, (nanos + 999_999) / 1_000_000));
    if (libc.poll(polled.address(), reading ? 1 + fds.length : 1, milliseconds) > 0) {
      long rung = libc.read(bell, drained.address(), 8);
      assert rung == 8 || rung < 0; // the bell was rung, or only the device has frames
    }
  }

  /** Any thread may call. Takes no lock, and the write to the eventfd does not block. */
  @Override
  public void wake() {
    if (ringing.getAndIncrement() >= 0) {
      waker.write(bell, one.address(), 8);
    }
    ringing.getAndDecrement();
  }

  /** Closes the device, which the kernel then removes. Call on the loop's thread only. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      lose();
      ringing.getAndAdd(Integer.MIN_VALUE); // from now on no thread writes to the bell
      while (ringing.get() != Integer.MIN_VALUE) {
        Thread.onSpinWait(); // another thread is writing to the bell, which does not block
      }
      libc.close(bell);
      arena.close();
    }
  }
}
