package ib.driver.rxe.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The announcements of Linux about links and addresses (rtnetlink(7)). They need no privilege. The
 * content of an announcement is not read: the thread that waits looks at the host itself. When the
 * socket fails, the announcements end, and the bell still works.
 */
final class NetlinkNews extends HostNews {
  private static final int GROUPS = 1 | 0x10 | 0x100; // RTMGRP_LINK, _IPV4_IFADDR, _IPV6_IFADDR
  private static final int NAME_BYTES = 12; // of a struct sockaddr_nl
  private static final int ROOM = 4096; // an announcement may be longer; the rest is cut off
  private static final int MAX_READ = 64; // announcements in one look
  private static final int EVENTS = 6; // what poll(2) has found, in a struct pollfd
  private static final int POLL_BYTES = 8;
  private static final short READABLE = 1;
  private static final int NONE = -1; // a descriptor that poll(2) leaves out

  private final Libc libc;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment state = arena.allocate(Libc.stateBytes(), 8);
  private final MemorySegment ringState = arena.allocate(Libc.stateBytes(), 8);
  private final MemorySegment both = arena.allocate(2 * POLL_BYTES, POLL_BYTES);
  private final MemorySegment room = arena.allocate(ROOM, 8);
  private final int bell;
  private int socket = NONE; // used by the thread that waits, and before and after that thread
  private volatile @Nullable String failure;

  NetlinkNews(Libc libc) throws IOException {
    this.libc = libc;
    this.bell = libc.bell(state);
    boolean open = false;
    try {
      if (bell < 0) {
        throw libc.failure(state, "eventfd");
      }
      socket = libc.netlink(state);
      if (socket < 0) {
        throw libc.failure(state, "netlink socket");
      }
      MemorySegment name = arena.allocate(NAME_BYTES, 4);
      name.set(ValueLayout.JAVA_SHORT, 0, (short) Libc.AF_NETLINK);
      name.set(ValueLayout.JAVA_INT, 8, GROUPS);
      if (libc.bind(state, socket, name) != 0) {
        throw libc.failure(state, "netlink bind");
      }
      open = true;
    } finally {
      if (!open) {
        close();
      }
    }
  }

  @Override
  public boolean announces() {
    return failure == null;
  }

  @Override
  public Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public boolean await(int milliseconds) {
    watch(0, bell);
    watch(1, socket);
    libc.poll(state, both.address(), 2, milliseconds);
    if (found(0) != 0) {
      libc.unring(state, bell, room.address());
    }
    return found(1) != 0 && read();
  }

  private void watch(int i, int fd) {
    long at = (long) i * POLL_BYTES;
    both.set(ValueLayout.JAVA_INT, at, fd);
    both.set(ValueLayout.JAVA_SHORT, at + 4, READABLE);
    both.set(ValueLayout.JAVA_SHORT, at + EVENTS, (short) 0); // poll(2) may fail
  }

  private short found(int i) {
    return both.get(ValueLayout.JAVA_SHORT, (long) i * POLL_BYTES + EVENTS);
  }

  /** Reads the announcements away; {@return whether there were any, or some were lost} */
  private boolean read() {
    boolean any = false;
    for (int i = 0; i < MAX_READ; i++) {
      if (libc.recv(state, socket, room) < 0) {
        int errno = Libc.errno(state);
        if (errno == Libc.EAGAIN) {
          return any;
        }
        if (errno != Libc.ENOBUFS && errno != Libc.EINTR) { // ENOBUFS: too many to keep
          failure = libc.failure(state, "netlink").getMessage();
          libc.close(state, socket);
          socket = NONE;
          return true;
        }
      }
      any = true;
    }
    return any;
  }

  @Override
  public void ring() {
    libc.ring(ringState, bell);
  }

  @Override
  public void close() {
    if (socket >= 0) {
      libc.close(state, socket);
    }
    if (bell >= 0) {
      libc.close(state, bell);
    }
    arena.close();
  }
}
