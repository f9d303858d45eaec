package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;

/**
 * Sets up one socket of Linux. Each call that the system refuses throws, with the system's reason.
 * One thread uses the object, while the arena is open.
 */
final class SocketSetup {
  private final Libc libc;
  private final int fd;
  private final Arena arena;
  private final MemorySegment state;
  private final MemorySegment value;

  /**
   * Makes the object; the socket stays as it is.
   *
   * @param libc the system calls
   * @param fd the socket's file descriptor
   * @param arena holds the memory of the calls
   */
  SocketSetup(Libc libc, int fd, Arena arena) {
    this.libc = libc;
    this.fd = fd;
    this.arena = arena;
    this.state = arena.allocate(Libc.stateBytes(), 8);
    this.value = arena.allocate(ValueLayout.JAVA_INT);
  }

  /** Sets an option to a number (setsockopt). */
  void set(int level, int name, int to) throws IOException {
    value.set(ValueLayout.JAVA_INT, 0, to);
    if (libc.option(state, fd, level, name, value) != 0) {
      throw libc.failure(state, "setsockopt " + level + " " + name);
    }
  }

  /** Makes the socket a member of a group on an interface (struct ip_mreqn, ipv6_mreq). */
  void join(InetAddress group, int on) throws IOException {
    boolean four = Addresses.four(group);
    byte[] address = group.getAddress();
    MemorySegment request = arena.allocate(four ? 12 : 20, 4);
    MemorySegment.copy(address, 0, request, ValueLayout.JAVA_BYTE, 0, address.length);
    multicast(four, four ? Libc.IP_ADD_MEMBERSHIP : Libc.IPV6_JOIN_GROUP, request, on);
  }

  /**
   * Has packets for groups leave by an interface (struct ip_mreqn, int).
   *
   * @param four whether this is a socket for IPv4
   * @param on index of the interface
   */
  void sendToGroupsBy(boolean four, int on) throws IOException {
    MemorySegment request = arena.allocate(four ? 12 : 4, 4);
    multicast(four, four ? Libc.IP_MULTICAST_IF : Libc.IPV6_MULTICAST_IF, request, on);
  }

  /** Sets an option whose structure ends with the index of an interface. */
  private void multicast(boolean four, int name, MemorySegment request, int on) throws IOException {
    request.set(ValueLayout.JAVA_INT, request.byteSize() - 4, on);
    if (libc.option(state, fd, four ? Libc.SOL_IP : Libc.SOL_IPV6, name, request) != 0) {
      throw libc.failure(state, "multicast on interface " + on);
    }
  }

  /** Binds the socket to a port of an address; a scope is the index of an interface. */
  void bind(InetAddress address, int port, int scope) throws IOException {
    MemorySegment name = arena.allocate(SocketAddress.BYTES, 8);
    Gid gid = Addresses.gid(address);
    boolean four = Addresses.four(address);
    int length = SocketAddress.write(name, 0, four, gid.high(), gid.low(), port, scope);
    if (libc.bind(state, fd, name.asSlice(0, length)) != 0) {
      throw libc.failure(state, "bind");
    }
  }
}
