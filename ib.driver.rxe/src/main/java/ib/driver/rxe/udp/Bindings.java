package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of a wire: those of its addresses with their source ports, and those of its multicast
 * groups. The wire's monitor guards this object. Any thread may call {@link #find} and {@link
 * #gids}, which do not block.
 */
final class Bindings {
  private final UdpOptions options;
  private final @Nullable Libc libc;
  private final UdpCounters counters;
  private final RefusedDatagrams refusals;
  private final Senders senders;
  private final Groups groups = new Groups(new Memberships());
  private volatile Endpoint[] endpoints = {}; // of the addresses
  private @Nullable Receiver receiver; // null before start and after stop
  private boolean failed; // in the last look

  Bindings(
      UdpOptions options,
      @Nullable Libc libc,
      UdpCounters counters,
      RefusedDatagrams refusals,
      Senders senders) {
    this.options = options;
    this.libc = libc;
    this.counters = counters;
    this.refusals = refusals;
    this.senders = senders;
  }

  /** Has a receiver read the sockets that are opened from now on. */
  void start(Receiver reads) {
    receiver = reads;
  }

  private Receiver started() {
    Receiver r = receiver;
    if (r == null) {
      throw new IllegalStateException("not started, or closed");
    }
    return r;
  }

  /** {@return the socket of the address with a GID; null when the wire has no such address} */
  @Nullable Endpoint find(long high, long low) {
    for (Endpoint e : endpoints) {
      if (e.gid.low() == low && e.gid.high() == high) {
        return e;
      }
    }
    return null;
  }

  /** {@return the GIDs of the open addresses} */
  List<Gid> gids() {
    return Arrays.stream(endpoints).map(e -> e.gid).toList();
  }

  /**
   * Binds a socket to an address; {@link #look} opens the sockets of other source ports.
   *
   * @throws IOException when the port is in use or the host does not have the address
   */
  void open(InetAddress address) throws IOException {
    started();
    List<Endpoint> more = new ArrayList<>(List.of(endpoints));
    more.add(bind(address, Addresses.holder(address), options.port()));
    replace(more);
    groups.follow(endpoints);
  }

  private Endpoint bind(InetAddress address, NetworkInterface on, int localPort)
      throws IOException {
    return libc == null
        ? PortableEndpoint.open(address, on, options, localPort, counters)
        : NativeEndpoint.open(libc, address, on, options, localPort, counters);
  }

  private void replace(List<Endpoint> now) throws IOException {
    endpoints = now.toArray(Endpoint[]::new);
    read();
  }

  private void read() throws IOException {
    List<Endpoint> all = new ArrayList<>(List.of(endpoints));
    all.addAll(groups.sockets());
    started().endpoints(all.toArray(Endpoint[]::new));
  }

  /** {@return whether the next {@link #look} has something to do although the host is as before} */
  boolean hasWork() {
    boolean work = failed;
    for (Endpoint main : endpoints) {
      work |= main.hasWork();
    }
    return work;
  }

  /** Does what {@link UdpWire#look} says. */
  void look() {
    failed = false;
    if (receiver != null) {
      groups.follow(endpoints);
    }
    for (Endpoint main : endpoints) {
      follow(main);
      main.flows.open(main, port -> flow(main, port));
      main.look();
    }
  }

  private void follow(Endpoint main) {
    try {
      main.follow(Addresses.holder(main.address));
    } catch (IOException why) {
      multicastFailed("send to groups from " + main.address.getHostAddress(), why);
    }
  }

  /** Counts a failure that no caller learns of; {@link #look} tries again in a second. */
  private void multicastFailed(String what, IOException why) {
    failed = true;
    refusals.multicastFailed(what + ": " + why.getMessage());
    counters.count(UdpCounter.MCAST_FAILED);
  }

  private @Nullable Endpoint flow(Endpoint main, int port) {
    try {
      return bind(main.address, Addresses.holder(main.address), port);
    } catch (IOException e) {
      return null; // another process uses the port: packets leave from the main port
    }
  }

  /**
   * Joins a group, or remembers the group before start.
   *
   * @throws IOException when the system refuses
   */
  void join(Gid group) throws IOException {
    if (receiver == null) {
      groups.want(group);
    } else {
      groups.join(group, endpoints);
    }
  }

  void leave(Gid group) {
    groups.leave(group);
  }

  /**
   * Closes the sockets of an open address. Waits until no thread uses these sockets.
   *
   * @throws IOException when the system refuses to receive on the remaining sockets
   */
  void close(InetAddress address) throws IOException {
    List<Endpoint> fewer = new ArrayList<>();
    List<Endpoint> gone = new ArrayList<>();
    for (Endpoint e : endpoints) {
      (e.address.equals(address) ? gone : fewer).add(e);
    }
    Receiver r = receiver;
    if (r != null && !gone.isEmpty()) {
      replace(fewer);
      r.forget();
      senders.quiesce(); // from now on no thread uses the sockets
      gone.forEach(Bindings::end);
      r.forget();
    }
  }

  private static void end(Endpoint e) {
    e.flows.sockets(e).forEach(Endpoint::close);
    e.close();
  }

  /** Closes all sockets. The receiver has stopped. */
  void stop() {
    receiver = null;
    Endpoint[] last = endpoints;
    endpoints = new Endpoint[0];
    senders.quiesce();
    for (Endpoint e : last) {
      end(e);
    }
    groups.close();
  }

  /** The sockets of the groups. */
  private final class Memberships implements Groups.Sockets {
    @Override
    public int holder(InetAddress address) throws IOException {
      return Addresses.holder(address).getIndex();
    }

    @Override
    public Endpoint open(InetAddress group, int on) throws IOException {
      NetworkInterface device = NetworkInterface.getByIndex(on);
      if (device == null) {
        throw new SocketException("interface " + on + " is gone");
      }
      return bind(group, device, options.port());
    }

    @Override
    public void read() throws IOException {
      Bindings.this.read();
    }

    @Override
    public void forget() {
      started().forget();
    }

    @Override
    public void failed(String what, Gid group, int on, IOException why) {
      String where = on == 0 ? "" : " on " + Addresses.interfaceName(on);
      multicastFailed(what + " " + group + where, why);
    }
  }
}
