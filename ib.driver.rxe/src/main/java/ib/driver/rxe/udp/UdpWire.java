package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.wire.Icrc;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A port's way to the network: RoCEv2 over ordinary UDP sockets, without privilege (D7). Addresses
 * come and go while it runs. What cannot be sent vanishes, as on every network, and is counted; a
 * reliable sender finds out by its timer.
 */
public final class UdpWire implements Wire, AutoCloseable {
  private static final int SENDERS = 64;
  private static final int BUFFERS = 1024; // of one packet each
  private static final int LONG_BUFFERS = 64; // of several
  private static final int LONG_BYTES = 65_536;
  private static final int SEGMENTS_MOST = 128; // that Linux joins
  private static final String NOT_SENT = "not sent";

  private final UdpOptions options;
  private final UdpCounters counters = new UdpCounters();
  private final Refusals refusals = new Refusals();
  private final Senders senders;
  private final @Nullable Libc libc;
  private final boolean migReq;
  private final ReceivePool pool;
  private volatile Endpoint[] endpoints = {}; // replaced under this
  private final Set<Gid> wanted = new HashSet<>(); // groups; under this
  private final List<Endpoint> groups = new ArrayList<>(); // under this
  private volatile @Nullable Receiver receiver; // written under this

  /**
   * Makes a wire without addresses.
   *
   * @param options how it works
   */
  public UdpWire(UdpOptions options) {
    this.options = options;
    this.migReq = !options.has(Quirk.MIGREQ_0);
    this.libc = options.path() == UdpOptions.Path.PORTABLE ? null : Libc.INSTANCE;
    this.senders = new Senders(SENDERS, this::sender);
    this.pool =
        libc == null
            ? new ReceivePool(BUFFERS, Sender.BYTES, 1, BUFFERS)
            : new ReceivePool(LONG_BUFFERS, LONG_BYTES, SEGMENTS_MOST, 4 * BUFFERS);
  }

  private Sender sender(Senders home, int index) {
    return libc == null
        ? new PortableSender(home, index, counters, options)
        : new NativeSender(home, index, counters, options, libc);
  }

  /** {@return whether system calls do the work, not only what every Java has} */
  public boolean isNative() {
    return libc != null;
  }

  /**
   * Connects the device's side and starts to receive, once, before the first address.
   *
   * @param port the device's port
   * @param run a context for the thread that receives
   * @param threadName its name
   * @throws IOException when the system has no descriptors left
   */
  public synchronized void start(WirePort port, RunContext run, String threadName)
      throws IOException {
    Inbound inbound =
        new Inbound(port, run, pool, counters, refusals, NanoClock.SYSTEM, this::own, options);
    if (options.path() == UdpOptions.Path.NATIVE && libc == null) {
      throw new IOException("no system calls here: not Linux on 64 bits, or native access denied");
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
   * @param address one of this host's
   * @throws IOException when the port is taken or the address is not here
   */
  public synchronized void open(InetAddress address) throws IOException {
    Receiver r = receiver;
    if (r == null) {
      throw new IllegalStateException("not started, or closed");
    }
    List<Endpoint> more = new ArrayList<>(List.of(endpoints));
    more.add(bind(address, Addresses.holder(address), options.port()));
    replace(more, r);
    joinMissing(r);
  }

  private Endpoint bind(InetAddress address, NetworkInterface on, int localPort)
      throws IOException {
    return libc == null
        ? PortableEndpoint.open(address, on, options, localPort, counters)
        : NativeEndpoint.open(libc, address, on.getIndex(), options, localPort, counters);
  }

  /** What is to be done about once a second: source ports wanted since the last call are opened. */
  public synchronized void look() {
    for (Endpoint main : endpoints) {
      main.flows.open(main, port -> flow(main, port));
      main.look();
    }
  }

  /**
   * What was refused of strangers, or went wrong when something came, since it was told the last
   * time; nothing within a minute of that.
   *
   * @return a line for a log
   */
  public synchronized Optional<String> report() {
    return refusals.report(System.nanoTime());
  }

  /**
   * Something went wrong beside the sockets, which is told with the rest.
   *
   * @param why what was thrown
   */
  public void failed(Throwable why) {
    refusals.failed(why);
    counters.count(UdpCounter.RX_FAILED);
  }

  private @Nullable Endpoint flow(Endpoint main, int port) {
    try {
      return bind(main.address, Addresses.holder(main.address), port);
    } catch (IOException e) {
      return null; // somebody else's: the main port serves as well
    }
  }

  private boolean own(long high, long low) {
    return endpoint(high, low) != null;
  }

  /**
   * Becomes a member on the interface of the first address of the same kind, and where there is
   * none yet, when it comes.
   */
  @Override
  public synchronized void join(Gid group, int mlid) {
    Receiver r = receiver;
    if (r != null) {
      try {
        join(group, r);
      } catch (IOException why) {
        throw new IbInvalidException(
            "join " + group, String.valueOf(why.getMessage()), "another group or interface");
      }
    }
    wanted.add(group);
  }

  private void join(Gid group, Receiver r) throws IOException {
    for (Endpoint e : endpoints) {
      if ((e.network == Icrc.Network.IPV4) == group.isIpv4Mapped()) {
        InetAddress address = Addresses.address(group.high(), group.low(), 0);
        groups.add(bind(address, Addresses.holder(e.address), options.port()));
        replace(List.of(endpoints), r);
        return;
      }
    }
  }

  private void joinMissing(Receiver r) throws IOException {
    for (Gid group : wanted) {
      if (groups.stream().noneMatch(e -> e.gid.equals(group))) {
        join(group, r);
      }
    }
  }

  @Override
  public synchronized void leave(Gid group, int mlid) {
    Receiver r = receiver;
    wanted.remove(group);
    for (Endpoint e : List.copyOf(groups)) {
      if (r != null && e.gid.equals(group)) {
        groups.remove(e);
        try {
          replace(List.of(endpoints), r);
        } catch (IOException why) {
          counters.count(UdpCounter.RX_ERROR); // what is left is received all the same
        }
        r.forget();
        e.close();
      }
    }
  }

  /**
   * Closes the socket of an address; nothing happens when there is none.
   *
   * @param address as it was opened
   * @throws IOException when the system refuses to go on with the others
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
      senders.quiesce(); // nobody uses the sockets now
      gone.forEach(UdpWire::end);
      r.forget();
    }
  }

  private static void end(Endpoint e) {
    e.flows.close(e);
    e.close();
  }

  private void replace(List<Endpoint> now, Receiver r) throws IOException {
    endpoints = now.toArray(Endpoint[]::new);
    List<Endpoint> all = new ArrayList<>(now);
    all.addAll(groups);
    r.endpoints(all.toArray(Endpoint[]::new));
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    Sender sender = sender(run); // first: an endpoint is not closed while one is in use
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

  /** What the run has to send with, until it ends. */
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

  /** Always: what leaves here are real packets. */
  @Override
  public boolean segments() {
    return true;
  }

  /** Always: a datagram's receive buffer begins with the IP header (IBA annex A17.4.5.1). */
  @Override
  public boolean alwaysGlobal() {
    return true;
  }

  /** {@return the addresses that sockets are bound to now} */
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
   * Reads a counter.
   *
   * @param which which
   * @return its value
   */
  public long counter(UdpCounter which) {
    return counters.read(which);
  }

  /**
   * Stops receiving. When it returns no thread of the wire is left, and the ports are free; packets
   * that the engine still has stay readable until {@link #close()}.
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
    groups.forEach(Endpoint::close);
    groups.clear();
  }

  /** Frees the memory, once, after the engine was shut down. */
  @Override
  public void close() {
    senders.close();
    pool.close();
  }
}
