package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.wire.Icrc;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The multicast groups of a wire. Each has a socket that is a member on the interface of the wire's
 * first address of the group's IP version; without such an address the group has no socket. The
 * wire's monitor guards this object.
 */
final class Groups {
  private final Sockets sockets;
  private final Set<Gid> wanted = new HashSet<>();
  private final Map<Gid, Member> members = new HashMap<>();

  /** A socket, and the index of the interface on which the socket is a member. */
  private record Member(Endpoint socket, int on) {}

  /** The wire, as its groups see it. */
  interface Sockets {
    /** {@return the index of the interface that has an address now} */
    int holder(InetAddress address) throws IOException;

    /** Opens a socket that is a member of a group on an interface. */
    Endpoint open(InetAddress group, int on) throws IOException;

    /** Has the receiver read the sockets of the wire's addresses and of {@link Groups#sockets}. */
    void read() throws IOException;

    /**
     * Returns when no thread uses a socket that the receiver does not read any more, and the system
     * has released those that are closed.
     */
    void forget();

    /**
     * Counts a failure that no caller learns of.
     *
     * @param what what has failed: join or leave
     * @param group the group
     * @param on index of the interface; 0 when the host has none for the group
     * @param why the system's reason
     */
    void failed(String what, Gid group, int on, IOException why);
  }

  Groups(Sockets sockets) {
    this.sockets = sockets;
  }

  /** {@return the sockets of all groups} */
  Collection<Endpoint> sockets() {
    List<Endpoint> all = new ArrayList<>();
    members.values().forEach(m -> all.add(m.socket));
    return all;
  }

  /** Remembers a group, for when the wire has addresses. */
  void want(Gid group) {
    wanted.add(group);
  }

  /**
   * Makes the wire a member of a group.
   *
   * @param group the group, which is wanted from now on, unless this method throws
   * @param addresses the wire's addresses
   * @throws IOException when the system refuses; no socket is left then
   */
  void join(Gid group, Endpoint[] addresses) throws IOException {
    place(group, interfaceOf(group, addresses));
    wanted.add(group);
  }

  /**
   * Follows the wire's addresses: moves memberships to other interfaces, and tries again those that
   * have failed.
   *
   * @param addresses the wire's addresses now
   */
  void follow(Endpoint[] addresses) {
    for (Gid group : wanted) {
      int on = 0;
      try {
        on = interfaceOf(group, addresses);
        place(group, on);
      } catch (IOException why) {
        sockets.failed("join", group, on, why); // the wire calls this again in a second
      }
    }
  }

  private void place(Gid group, int on) throws IOException {
    Member now = members.get(group);
    if (now != null && now.on != on) { // before the new one: no datagram comes twice
      end(group);
      now = null;
    }
    if (now == null && on != 0) {
      Endpoint socket = sockets.open(Addresses.address(group.high(), group.low(), 0), on);
      members.put(group, new Member(socket, on));
      boolean read = false;
      try {
        sockets.read();
        read = true;
      } finally {
        if (!read) {
          end(group);
        }
      }
    }
  }

  /** {@return the index of the interface where a group belongs; 0 without a fitting address} */
  private int interfaceOf(Gid group, Endpoint[] addresses) throws IOException {
    for (Endpoint e : addresses) {
      if ((e.network == Icrc.Network.IPV4) == group.isIpv4Mapped()) {
        return sockets.holder(e.address);
      }
    }
    return 0;
  }

  /** Ends the membership in a group. */
  void leave(Gid group) {
    wanted.remove(group);
    end(group);
  }

  private void end(Gid group) {
    Member gone = members.remove(group);
    if (gone != null) {
      try {
        sockets.read();
      } catch (IOException why) {
        sockets.failed("leave", group, gone.on, why); // the other sockets are still read
      }
      sockets.forget();
      gone.socket.close();
      sockets.forget(); // else a membership lasts until the receiver wakes
    }
  }

  /** Closes all sockets. No thread may use them any more. */
  void close() {
    members.values().forEach(m -> m.socket.close());
    members.clear();
  }
}
