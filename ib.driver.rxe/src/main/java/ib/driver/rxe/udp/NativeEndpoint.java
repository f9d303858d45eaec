package ib.driver.rxe.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.NetworkInterface;

/**
 * An endpoint with a socket of Linux. Unlike the portable one it accepts IPv6 datagrams without a
 * checksum, as Linux rdma_rxe sends them. It also shows and sets traffic class, flow label and hop
 * limit, and lets the kernel join successive packets.
 */
final class NativeEndpoint extends Endpoint {
  private final Libc libc;
  final boolean four;
  private final int scope;
  private volatile boolean unlabelled; // the system has refused a flow label
  private volatile int fd;

  private NativeEndpoint(
      Libc libc,
      InetAddress address,
      UdpOptions options,
      int localPort,
      int fd,
      UdpCounters counters) {
    super(address, options, localPort, counters);
    this.libc = libc;
    this.fd = fd;
    this.four = Addresses.four(address);
    this.scope = Addresses.scope(address);
  }

  /**
   * Opens and binds a socket.
   *
   * @param libc the system calls
   * @param address the local address, or the group
   * @param on the interface of the address
   * @param options UDP port and buffer sizes
   * @param localPort the port to bind; if it is not the port of the options, the endpoint only
   *     sends
   * @param counters where errors are counted
   * @return the endpoint
   * @throws IOException when the port is in use or the host does not have the address
   */
  static NativeEndpoint open(
      Libc libc,
      InetAddress address,
      NetworkInterface on,
      UdpOptions options,
      int localPort,
      UdpCounters counters)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Libc.stateBytes(), 8);
      MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
      boolean four = Addresses.four(address);
      int fd = libc.socket(state, four ? Libc.AF_INET : Libc.AF_INET6);
      if (fd < 0) {
        throw libc.failure(state, "socket");
      }
      boolean bound = false;
      try {
        options(libc, state, fd, four, options, value);
        if (localPort != options.port()) {
          set(libc, state, fd, Libc.SOL_SOCKET, Libc.SO_RCVBUF, 0, value);
        }
        int index = on.getIndex();
        boolean group = address.isMulticastAddress();
        if (group) {
          set(libc, state, fd, Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1, value);
          member(libc, state, fd, true, address, index, arena);
        }
        MemorySegment name = arena.allocate(SocketAddress.BYTES, 8);
        var gid = Addresses.gid(address);
        int scope = group ? index : Addresses.scope(address);
        int length = SocketAddress.write(name, 0, four, gid.high(), gid.low(), localPort, scope);
        if (libc.bind(state, fd, name.asSlice(0, length)) != 0) {
          throw libc.failure(state, "bind");
        }
        NativeEndpoint e = new NativeEndpoint(libc, address, options, localPort, fd, counters);
        e.follow(on);
        bound = true;
        return e;
      } finally {
        if (!bound) {
          libc.close(state, fd);
        }
      }
    }
  }

  private static void options(
      Libc libc, MemorySegment state, int fd, boolean four, UdpOptions options, MemorySegment value)
      throws IOException {
    set(libc, state, fd, Libc.SOL_SOCKET, Libc.SO_RCVBUF, options.bufferBytes(), value);
    set(libc, state, fd, Libc.SOL_SOCKET, Libc.SO_SNDBUF, options.bufferBytes(), value);
    if (four) {
      set(libc, state, fd, Libc.SOL_IP, Libc.IP_MTU_DISCOVER, Libc.IP_PMTUDISC_DO, value);
      set(libc, state, fd, Libc.SOL_IP, Libc.IP_TTL, Sender.HOPS, value);
      set(libc, state, fd, Libc.SOL_IP, Libc.IP_RECVTOS, 1, value);
      set(libc, state, fd, Libc.SOL_IP, Libc.IP_RECVTTL, 1, value);
    } else {
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_V6ONLY, 1, value);
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_UNICAST_HOPS, Sender.HOPS, value);
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_RECVTCLASS, 1, value);
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_RECVHOPLIMIT, 1, value);
      set(
          libc,
          state,
          fd,
          Libc.SOL_IPV6,
          Libc.IPV6_AUTOFLOWLABEL,
          0,
          value); // flow label 0 is sent as 0
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_FLOWINFO_SEND, 1, value);
      set(libc, state, fd, Libc.SOL_IPV6, Libc.IPV6_FLOWINFO, 1, value);
      set(libc, state, fd, Libc.SOL_UDP, Libc.UDP_NO_CHECK6_RX, 1, value);
    }
    set(libc, state, fd, Libc.SOL_UDP, Libc.UDP_GRO, 1, value);
  }

  /**
   * Joins a group on an interface (struct ip_mreqn, ipv6_mreq), or sets the interface for sending
   * to groups.
   */
  private static void member(
      Libc libc,
      MemorySegment state,
      int fd,
      boolean join,
      InetAddress address,
      int on,
      Arena arena)
      throws IOException {
    boolean four = Addresses.four(address);
    MemorySegment request = arena.allocate(four ? 12 : join ? 20 : 4, 4);
    if (join) {
      byte[] group = address.getAddress();
      MemorySegment.copy(group, 0, request, ValueLayout.JAVA_BYTE, 0, group.length);
    }
    request.set(ValueLayout.JAVA_INT, request.byteSize() - 4, on);
    int name =
        four
            ? join ? Libc.IP_ADD_MEMBERSHIP : Libc.IP_MULTICAST_IF
            : join ? Libc.IPV6_JOIN_GROUP : Libc.IPV6_MULTICAST_IF;
    if (libc.option(state, fd, four ? Libc.SOL_IP : Libc.SOL_IPV6, name, request) != 0) {
      throw libc.failure(state, "multicast on interface " + on);
    }
  }

  private static void set(
      Libc libc, MemorySegment state, int fd, int level, int name, int to, MemorySegment value)
      throws IOException {
    value.set(ValueLayout.JAVA_INT, 0, to);
    if (libc.option(state, fd, level, name, value) != 0) {
      throw libc.failure(state, "setsockopt " + level + " " + name);
    }
  }

  @Override
  void setGroupsBy(NetworkInterface on) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Libc.stateBytes(), 8);
      member(libc, state, fd, false, address, on.getIndex(), arena);
    }
  }

  /**
   * {@return whether IPv6 messages may have a flow label} The system refuses labels before Linux
   * 5.3, and while a process of this network namespace has leased labels exclusively.
   */
  boolean labels() {
    return !unlabelled;
  }

  /** Sends no flow labels from now on, because the system has refused one. */
  void refuseLabels() {
    unlabelled = true;
  }

  int fd() {
    return fd;
  }

  int scope() {
    return scope;
  }

  /**
   * Closes the socket. No thread may be using it: the descriptor's number may be another file's at
   * once.
   */
  @Override
  public void close() {
    int last = fd;
    fd = -1;
    try (Arena arena = Arena.ofConfined()) {
      if (last >= 0 && libc.close(arena.allocate(Libc.stateBytes(), 8), last) != 0) {
        counters.count(UdpCounter.RX_ERROR); // the descriptor is free all the same
      }
    }
  }
}
