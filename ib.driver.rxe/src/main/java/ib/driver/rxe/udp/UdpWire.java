package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The wire of a RoCEv2 port: ordinary UDP sockets, without privilege (D7). Addresses may be opened
 * and closed while the wire runs. A packet that cannot be sent is dropped and counted; a reliable
 * sender notices by its timer. The object's monitor guards addresses and groups; the data path
 * takes no lock.
 */
public final class UdpWire implements Wire, AutoCloseable {
  private static final int SENDERS = 64;
  private static final int BUFFERS = 1024; // buffers of one packet each
  private static final int LONG_BUFFERS = 64; // buffers of several packets each
  private static final int LONG_BYTES = 65_536;
  private static final int MAX_SEGMENTS = 128; // packets that Linux joins at most
  private static final String NOT_SENT = "not sent";

  private final UdpOptions options;
  private final UdpCounters counters = new UdpCounters();
  private final RefusedDatagrams refusals = new RefusedDatagrams();
  private final Senders senders;
  private final @Nullable Libc libc;
  private final boolean migReq;
  private final ReceivePool pool;
  private volatile Endpoint[] endpoints = {}; // replaced while this is held
  private final Groups groups = new Groups(new Memberships()); // guarded by this
  private volatile @Nullable Receiver receiver; // written while this is held

  /**
   * Creates a wire without addresses.
   *
   * @param options the options
   */
  public UdpWire(UdpOptions options) {
    this.options = options;
    this.migReq = !options.has(Quirk.MIGREQ_0);
    this.libc = options.path() == UdpOptions.Path.PORTABLE ? null : Libc.INSTANCE;
    this.senders = new Senders(SENDERS, this::sender);
    this.pool =
        libc == null
            ? new ReceivePool(BUFFERS, Sender.BYTES, 1, BUFFERS)
            : new ReceivePool(LONG_BUFFERS, LONG_BYTES, MAX_SEGMENTS, 4 * BUFFERS);
  }

  private Sender sender(Senders home, int index) {
    return libc == null
        ? new PortableSender(home, index, counters, options)
        : new NativeSender(home, index, counters, options, libc);
  }

  /** {@return whether system calls are used, not channels of Java} */
  public boolean isNative() {
    return libc != null;
  }

  /**
   * Connects the device's side and starts to receive, once, before the first address.
   *
   * @param port the device's port
   * @param run a context for the thread that receives
   * @param threadName name of that thread
   * @throws IOException when the process has no free file descriptor
   * @throws ib.core.verbs.IbNotSupportedException when the options ask for {@link
   *     UdpOptions.Path#NATIVE} and this JVM has no system calls
   */
  public synchronized void start(WirePort port, RunContext run, String threadName)
      throws IOException {
    Inbound inbound =
        new Inbound(port, run, pool, counters, refusals, NanoClock.SYSTEM, this::own, options);
    if (options.path() == UdpOptions.Path.NATIVE && libc == null) {
      throw Libc.missing();
    }
    Receiver r =
        libc == null
            ? new PortableReceiver(inbound, pool, counters, options.busyPollNs())
            : new NativeReceiver(libc, inbound, pool, counters, options.busyPollNs());
    r.start(threadName);
    receiver = r;
  }

  /**
   * Binds a socket to an address, so that packets pass from and to it.
   *
   * @param address an address of this host
   * @throws IOException when the port is in use or the host does not have the address
   */
  public synchronized void open(InetAddress address) throws IOException {
    Receiver r = receiver;
    if (r == null) {
      throw new IllegalStateException("not started, or closed");
    }
    List<Endpoint> more = new ArrayList<>(List.of(endpoints));
    more.add(bind(address, Addresses.holder(address), options.port()));
    replace(more, r);
    groups.follow(endpoints);
  }

  private Endpoint bind(InetAddress address, NetworkInterface on, int localPort)
      throws IOException {
    return libc == null
        ? PortableEndpoint.open(address, on, options, localPort, counters)
        : NativeEndpoint.open(libc, address, on, options, localPort, counters);
  }

  /**
   * Opens the source ports asked for since the last call, ages path proofs, and has multicast, both
   * memberships in groups and what is sent to them, follow the addresses to other interfaces. Call
   * about once a second, and after each change.
   */
  public synchronized void look() {
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
    refusals.multicastFailed(what + ": " + why.getMessage());
    counters.count(UdpCounter.MCAST_FAILED);
  }

  /**
   * Returns refused datagrams and failures since the last report; nothing within a minute of that
   * report.
   *
   * @return a line for the log
   */
  public synchronized Optional<String> report() {
    return refusals.report(System.nanoTime());
  }

  /**
   * Counts a failure outside of the sockets, which {@link #report} includes.
   *
   * @param why the exception
   */
  public void failed(Throwable why) {
    refusals.failed(why);
    counters.count(UdpCounter.RX_FAILED);
  }

  private @Nullable Endpoint flow(Endpoint main, int port) {
    try {
      return bind(main.address, Addresses.holder(main.address), port);
    } catch (IOException e) {
      return null; // another process uses the port: packets leave from the main port
    }
  }

  private boolean own(long high, long low) {
    return endpoint(high, low) != null;
  }

  /**
   * Joins a group on the interface of the first address of the same IP version; without such an
   * address, when one is opened. The membership follows that address to another interface.
   */
  @Override
  public synchronized void join(Gid group, int mlid) {
    if (receiver == null) {
      groups.want(group);
      return;
    }
    try {
      groups.join(group, endpoints);
    } catch (IOException why) {
      throw new IbInvalidException(
          "join " + group,
          String.valueOf(why.getMessage()),
          "join another group, or use another interface");
    }
  }

  @Override
  public synchronized void leave(Gid group, int mlid) {
    groups.leave(group);
  }

  /** The sockets of the groups. Called under the wire's monitor, while the receiver runs. */
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
      replace(List.of(endpoints), Objects.requireNonNull(receiver));
    }

    @Override
    public void forget() {
      Objects.requireNonNull(receiver).forget();
    }

    @Override
    public void failed(String what, Gid group, int on, IOException why) {
      String where = on == 0 ? "" : " on " + Addresses.interfaceName(on);
      multicastFailed(what + " " + group + where, why);
    }
  }

  /**
   * Closes the sockets of an address, if it is open. Waits until no thread uses them.
   *
   * @param address the address that was opened
   * @throws IOException when the system refuses to receive on the remaining sockets
   */
  public synchronized void close(InetAddress address) throws IOException {
    Receiver r = receiver;
    List<Endpoint> fewer = new ArrayList<>();
    List<Endpoint> gone = new ArrayList<>();
    for (Endpoint e : endpoints) {
      (e.address.equals(address) ? gone : fewer).add(e);
    }
    if (r != null && !gone.isEmpty()) {
      replace(fewer, r);
      r.forget();
      senders.quiesce(); // from now on no thread uses the sockets
      gone.forEach(UdpWire::end);
      r.forget();
    }
  }

  private static void end(Endpoint e) {
    e.flows.sockets(e).forEach(Endpoint::close);
    e.close();
  }

  private void replace(List<Endpoint> now, Receiver r) throws IOException {
    endpoints = now.toArray(Endpoint[]::new);
    List<Endpoint> all = new ArrayList<>(now);
    all.addAll(groups.sockets());
    r.endpoints(all.toArray(Endpoint[]::new));
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    Sender sender = sender(run); // claimed first: no endpoint is closed while a sender is claimed
    if (sender == null) {
      discard(packet, UdpCounter.TX_BUSY, run);
      return;
    }
    Endpoint from = endpoint(packet.sgidHigh, packet.sgidLow);
    if (from == null) {
      discard(packet, UdpCounter.TX_NO_SOURCE, run);
      return;
    }
    packet.migReq = migReq;
    Endpoint flow = from.flows.find(packet);
    UdpCounter why = sender.add(packet, from, flow == null ? from : flow);
    if (why == null) {
      packet.release(run);
    } else {
      discard(packet, why, run);
    }
  }

  /** {@return the sender that this run holds until it ends; null when all are claimed} */
  private @Nullable Sender sender(RunContext run) {
    if (run.outbox() instanceof Sender s && s.counters == counters) {
      return s;
    }
    Sender claimed = senders.claim();
    if (claimed != null) {
      run.gather(claimed);
    }
    return claimed;
  }

  private @Nullable Endpoint endpoint(long high, long low) {
    for (Endpoint e : endpoints) {
      if (e.gid.low() == low && e.gid.high() == high) {
        return e;
      }
    }
    return null;
  }

  private void discard(Packet packet, UdpCounter why, RunContext run) {
    counters.count(why);
    packet.dropped = NOT_SENT;
    packet.release(run);
  }

  @Override
  public int tooLongSyndrome() {
    return options.has(Quirk.NAK_63) ? 0x63 : Wire.super.tooLongSyndrome();
  }

  @Override
  public boolean polled() {
    return options.progress() == UdpOptions.Progress.POLL;
  }

  @Override
  public boolean progress() {
    Receiver r = receiver;
    return r != null && r.poll();
  }

  @Override
  public void pollersRest() {
    Receiver r = receiver;
    if (r != null) {
      r.pollersRest();
    }
  }

  /** {@return true, because every packet is sent as bytes} */
  @Override
  public boolean segments() {
    return true;
  }

  /** {@return true, because a UD receive buffer begins with the IP header (IBA annex A17.4.5.1)} */
  @Override
  public boolean alwaysGlobal() {
    return true;
  }

  /** {@return the GIDs of the open addresses} */
  public List<Gid> gids() {
    return Arrays.stream(endpoints).map(e -> e.gid).toList();
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> named = counters.named();
    named.put("udp_native", isNative() ? 1L : 0L);
    return named;
  }

  /**
   * Returns the value of a counter.
   *
   * @param which the counter
   * @return the value
   */
  public long counter(UdpCounter which) {
    return counters.read(which);
  }

  /**
   * Stops receiving. When this returns, the wire's thread has ended and the ports are free. Packets
   * that the engine still holds stay readable until {@link #close()}.
   */
  public synchronized void stop() {
    Receiver r = receiver;
    receiver = null;
    if (r != null) {
      r.stop();
    }
    Endpoint[] last = endpoints;
    endpoints = new Endpoint[0];
    senders.quiesce();
    for (Endpoint e : last) {
      end(e);
    }
    groups.close();
  }

  /** Frees the memory. Call once, after the engine was shut down. */
  @Override
  public void close() {
    senders.close();
    pool.close();
  }
}
