package ib.driver.verbs.abi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The kernel's announcements of devices that come and go (NETLINK_KOBJECT_UEVENT, group 1), which
 * need no privilege. One thread waits; any thread rings.
 */
public final class Uevents implements AutoCloseable {
  private static final int AF_NETLINK = 16;
  private static final int RAW_NONBLOCK_CLOEXEC = 3 | Libc.NONBLOCK_CLOEXEC;
  private static final int KOBJECT_UEVENT = 15;
  private static final int NAME_BYTES = 12; // of struct sockaddr_nl
  private static final int MAX_BYTES = 8192;
  private static final int MAX_READS = 256;
  private static final int NONE = -1;
  private static final String OURS = "infiniband";

  private final Libc libc;
  private final Waiter waiter;
  private final int socket;

  private Uevents(Libc libc, Waiter waiter, int socket) {
    this.libc = libc;
    this.waiter = waiter;
    this.socket = socket;
  }

  /**
   * Opens the socket. Where the kernel refuses one, as some containers do, nothing is announced.
   *
   * @param libc the C library
   * @param log hears when nothing is announced
   * @return the announcements
   */
  public static Uevents open(Libc libc, Consumer<String> log) {
    Waiter waiter = new Waiter(libc);
    try (Frame frame = new Frame()) {
      int socket = (int) frame.call(libc.socket, AF_NETLINK, RAW_NONBLOCK_CLOEXEC, KOBJECT_UEVENT);
      MemorySegment name = frame.zeros(NAME_BYTES + 4);
      name.set(ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
      name.set(ValueLayout.JAVA_INT, 8, 1);
      if (socket >= 0 && (int) frame.call(libc.bind, socket, name.address(), NAME_BYTES) == 0) {
        return new Uevents(libc, waiter, socket);
      }
      log.accept(
          "RDMA devices of the host: the kernel announces none here ("
              + frame.text(libc, frame.errno())
              + "); a look every 2 s finds them");
      if (socket >= 0) {
        frame.call(libc.close, socket);
      }
      return new Uevents(libc, waiter, NONE);
    }
  }

  /**
   * Waits for an announcement about an RDMA device.
   *
   * @param milliseconds at most
   */
  public void await(int milliseconds) {
    long end = System.nanoTime() + milliseconds * 1_000_000L;
    for (long left = milliseconds; left > 0; left = (end - System.nanoTime()) / 1_000_000L) {
      try (Frame frame = new Frame()) {
        if (!waiter.await(frame, socket, (int) left) || read(frame)) {
          return;
        }
      }
    }
  }

  /**
   * Waits without listening.
   *
   * @param milliseconds at most
   */
  public void pause(int milliseconds) {
    try (Frame frame = new Frame()) {
      waiter.await(frame, NONE, milliseconds);
    }
  }

  /** Reads the announcements; {@return whether one is about RDMA, or some were lost} */
  private boolean read(Frame frame) {
    MemorySegment buffer = frame.zeros(MAX_BYTES);
    boolean ours = false;
    for (int i = 0; i < MAX_READS; i++) {
      int n = (int) frame.call(libc.recv, socket, buffer.address(), MAX_BYTES, 0);
      if (n < 0) {
        return ours || frame.errno() != Libc.EAGAIN;
      }
      byte[] bytes = new byte[Math.min(n, MAX_BYTES)];
      MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, bytes, 0, bytes.length);
      ours |= new String(bytes, StandardCharsets.ISO_8859_1).contains(OURS);
    }
    return ours;
  }

  /** Ends the present wait, or the next one. */
  public void ring() {
    waiter.ring();
  }

  @Override
  public void close() {
    waiter.close();
    if (socket >= 0) {
      try (Frame frame = new Frame()) {
        frame.call(libc.close, socket);
      }
    }
  }
}
