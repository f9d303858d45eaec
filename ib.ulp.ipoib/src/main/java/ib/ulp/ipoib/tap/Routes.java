package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the next hop of packets that leave by a TUN device, which shows only the destination
 * (P3). It queries the routing table by rtnetlink(7) in the network namespace of the device.
 * Answers are cached until the kernel notifies of changed routes, addresses or links. Used on the
 * loop's thread only.
 */
final class Routes implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int AF_NETLINK = 16;
  private static final int SOCK_RAW = 3;
  private static final long SIOCGIFINDEX = 0x8933;
  // RTNLGRP_LINK, addresses, routes and rules of both versions, next hops
  private static final int GROUPS = 1 | 0x10 | 0x40 | 0x80 | 0x100 | 0x400 | 1 << 18 | 1 << 31;
  private static final int NLMSG_ERROR = 2;
  private static final int RTM_NEWLINK = 16;
  private static final int RTM_DELLINK = 17;
  private static final int RTM_NEWROUTE = 24;
  private static final int RTM_GETROUTE = 26;
  private static final int RTA_DST = 1;
  private static final int RTA_OIF = 4;
  private static final int RTA_GATEWAY = 5;
  private static final int RTA_VIA = 18;
  private static final int HEADER = 16; // nlmsghdr
  private static final int ROUTE = HEADER + 12; // and rtmsg
  private static final int BYTES = 8192;
  private static final int MAX_NOTICES = 1000;
  private static final int MAX_KNOWN = 4096;
  private static final long AGAIN_NS = 1_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Routes.class);
  private final TapDevice device;
  private final Loop loop;
  private final Libc libc;
  private final MemorySegment out;
  private final MemorySegment in;
  private final Map<Ip, Ip> known =
      new HashMap<>(); // gateways by destination; the destination itself if there is none
  private int socket = -1;
  private int index; // interface index of the device in its namespace
  private int sequence;
  private boolean looked; // notifications were read in this step
  private boolean moved; // the device may be in another namespace
  private long notBefore; // when the next attempt to open may be made; 0: now
  private boolean closed;

  Routes(TapDevice device, Loop loop, Arena arena) {
    this.device = device;
    this.loop = loop;
    libc = device.libc;
    out = arena.allocate(128, 8);
    in = arena.allocate(BYTES, 8);
  }

  /** Makes the next {@link #gateway} read the kernel's notifications first. */
  void look() {
    looked = false;
  }

  /** {@return the gateway for an address; null when there is none or the kernel does not answer} */
  @Nullable Ip gateway(Ip to) {
    if (!looked) {
      looked = true;
      hear(0);
      if (moved) {
        shut();
      }
    }
    if (socket < 0 && !open()) {
      return null;
    }
    Ip gateway = known.get(to);
    if (gateway == null) {
      gateway = ask(to);
      if (known.size() == MAX_KNOWN) {
        known.clear();
      }
      known.put(to, gateway);
    }
    return gateway.equals(to) ? null : gateway;
  }

  private Ip ask(Ip to) {
    int bytes = to.isV4() ? 4 : 16;
    out.fill((byte) 0);
    long end = ROUTE + 4L + bytes + 8;
    out.set(ValueLayout.JAVA_INT, 0, (int) end);
    out.set(ValueLayout.JAVA_SHORT, 4, (short) RTM_GETROUTE);
    out.set(ValueLayout.JAVA_SHORT, 6, (short) 1); // NLM_F_REQUEST
    out.set(ValueLayout.JAVA_INT, 8, ++sequence);
    Octets.u8(out, HEADER, to.isV4() ? AF_INET : AF_INET6);
    Octets.u8(out, HEADER + 1L, bytes * 8);
    attribute(ROUTE, RTA_DST, bytes);
    address(out, ROUTE + 4L, to);
    attribute(end - 8, RTA_OIF, 4);
    out.set(ValueLayout.JAVA_INT, end - 4, index);
    Ip gateway = libc.write(socket, out.address(), end) == end ? hear(sequence) : null;
    return gateway == null ? to : gateway;
  }

  private void attribute(long at, int type, int bytes) {
    out.set(ValueLayout.JAVA_SHORT, at, (short) (4 + bytes));
    out.set(ValueLayout.JAVA_SHORT, at + 2, (short) type);
  }

  private static void address(MemorySegment s, long at, Ip ip) {
    if (ip.isV4()) {
      Octets.u32(s, at, ip.v4());
    } else {
      Octets.ip(s, at, ip);
    }
  }

  /**
   * Reads the kernel's messages. The kernel has answered a query before the query's write returns.
   *
   * @param wanted sequence number of the query; 0 for none
   * @return the gateway in the answer; null without one
   */
  private @Nullable Ip hear(int wanted) {
    for (int i = 0; socket >= 0 && i < MAX_NOTICES; i++) {
      long length = libc.read(socket, in.address(), BYTES);
      if (length < 0 && (libc.errno() == Libc.EAGAIN || libc.errno() == Libc.EINTR)) {
        return null;
      }
      if (length <= 0) {
        moved = true; // the kernel has lost notifications, or the read failed
        known.clear();
        return null;
      }
      for (long at = 0; at + HEADER <= length; at += next(at)) {
        int type = in.get(ValueLayout.JAVA_SHORT, at + 4);
        boolean answer = wanted != 0 && in.get(ValueLayout.JAVA_INT, at + 8) == wanted;
        if (answer && (type == RTM_NEWROUTE || type == NLMSG_ERROR)) {
          return type == NLMSG_ERROR ? null : gateway(at, Math.min(length, at + next(at)));
        }
        known.clear();
        moved |= type == RTM_NEWLINK || type == RTM_DELLINK;
      }
    }
    return null;
  }

  /** {@return the length of a message, with padding} */
  private long next(long at) {
    return Math.max(HEADER, in.get(ValueLayout.JAVA_INT, at) + 3 & ~3);
  }

  /** {@return the gateway in an answer; null without one} */
  private @Nullable Ip gateway(long message, long end) {
    boolean four = Octets.u8(in, message + HEADER) == AF_INET;
    int length;
    for (long at = message + ROUTE; at + 4 <= end; at += Math.max(4, length + 3 & ~3)) {
      length = in.get(ValueLayout.JAVA_SHORT, at) & 0xffff;
      int type = in.get(ValueLayout.JAVA_SHORT, at + 2) & 0x3fff;
      if (type == RTA_GATEWAY && at + length <= end) {
        return four ? Ip.v4(Octets.u32(in, at + 4)) : Octets.ip(in, at + 4);
      }
      if (type == RTA_VIA && length >= 4 + 2 + 16 && at + length <= end) {
        return Octets.ip(in, at + 6); // an IPv6 gateway of an IPv4 route (RFC 8950)
      }
    }
    return null;
  }

  private boolean open() {
    if (closed || device.fd() < 0 || notBefore != 0 && loop.now() - notBefore < 0) {
      return false;
    }
    int made = -1;
    try {
      made = Whereabouts.socket(device, this::netlink);
      listen(made);
    } catch (SystemCallException why) {
      log.warn(
          "{}: the kernel's routes cannot be read, so the configured gateways are used: {}",
          device.name,
          why.getMessage());
      if (made >= 0) {
        libc.close(made);
      }
      notBefore = loop.now() + AGAIN_NS;
      return false;
    }
    socket = made;
    moved = false;
    notBefore = 0;
    return true;
  }

  private void listen(int made) throws SystemCallException {
    out.fill((byte) 0);
    out.set(ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
    out.set(ValueLayout.JAVA_INT, 8, GROUPS);
    libc.check(libc.bind(made, out.address(), 12), "bind of netlink");
    libc.check(Whereabouts.name(device, out), "present name"); // it may have been renamed
    libc.check(libc.ioctl(made, SIOCGIFINDEX, out.address()), "index of the interface");
    index = out.get(ValueLayout.JAVA_INT, 16);
  }

  private int netlink() {
    return libc.socket(AF_NETLINK, SOCK_RAW | Libc.O_NONBLOCK, 0);
  }

  private void shut() {
    if (socket >= 0) {
      libc.close(socket);
      socket = -1;
      known.clear();
    }
  }

  @Override
  public void close() {
    closed = true;
    shut();
  }
}
