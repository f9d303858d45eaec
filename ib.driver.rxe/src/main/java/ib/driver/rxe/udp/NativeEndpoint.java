package ib.driver.rxe.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.NetworkInterface;

/**
 * An endpoint with a socket of Linux. Unlike the portable one, this endpoint accepts IPv6 datagrams
 * without a checksum, as Linux rdma_rxe sends them. It also shows and sets traffic class, flow
 * label and hop limit, and lets the kernel join successive packets.
 */
final class NativeEndpoint extends Endpoint {
  private final Libc libc;
  final boolean four;
  final int scope;
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
    boolean four = Addresses.four(address);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Libc.stateBytes(), 8);
      int fd = libc.socket(state, four ? Libc.AF_INET : Libc.AF_INET6);
      if (fd < 0) {
        throw libc.failure(state, "socket");
      }
      boolean bound = false;
      try {
        SocketSetup socket = new SocketSetup(libc, fd, arena);
        options(socket, four, options);
        if (localPort != options.port()) {
          socket.set(Libc.SOL_SOCKET, Libc.SO_RCVBUF, 0);
        }
        boolean group = address.isMulticastAddress();
        if (group) {
          socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
          socket.join(address, on.getIndex());
        }
        socket.bind(address, localPort, group ? on.getIndex() : Addresses.scope(address));
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

  private static void options(SocketSetup socket, boolean four, UdpOptions options)
      throws IOException {
    socket.set(Libc.SOL_SOCKET, Libc.SO_RCVBUF, options.bufferBytes());
    socket.set(Libc.SOL_SOCKET, Libc.SO_SNDBUF, options.bufferBytes());
    if (four) {
      socket.set(Libc.SOL_IP, Libc.IP_MTU_DISCOVER, Libc.IP_PMTUDISC_DO);
      socket.set(Libc.SOL_IP, Libc.IP_TTL, Sender.HOPS);
      socket.set(Libc.SOL_IP, Libc.IP_RECVTOS, 1);
      socket.set(Libc.SOL_IP, Libc.IP_RECVTTL, 1);
    } else {
      socket.set(Libc.SOL_IPV6, Libc.IPV6_V6ONLY, 1);
      socket.set(Libc.SOL_IPV6, Libc.IPV6_UNICAST_HOPS, Sender.HOPS);
      socket.set(Libc.SOL_IPV6, Libc.IPV6_RECVTCLASS, 1);
      socket.set(Libc.SOL_IPV6, Libc.IPV6_RECVHOPLIMIT, 1);
      socket.set(Libc.SOL_IPV6, Libc.IPV6_AUTOFLOWLABEL, 0); // flow label 0 is sent as 0
      socket.set(Libc.SOL_IPV6, Libc.IPV6_FLOWINFO_SEND, 1);
      socket.set(Libc.SOL_IPV6, Libc.IPV6_FLOWINFO, 1);
      socket.set(Libc.SOL_UDP, Libc.UDP_NO_CHECK6_RX, 1);
    }
    socket.set(Libc.SOL_UDP, Libc.UDP_GRO, 1);
  }

  @Override
  void setGroupsBy(NetworkInterface on) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      new SocketSetup(libc, fd, arena).sendToGroupsBy(four, on.getIndex());
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
