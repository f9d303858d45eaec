package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.wire.Icrc;
import ib.engine.time.NanoClock;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
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
  private final Rest rest = new Rest(); // of the thread that calls look
  private final RefusedDatagrams refusals = new RefusedDatagrams(rest);
  private final Senders senders;
  private final @Nullable Libc libc;
  private final boolean migReq;
  private final ReceivePool pool;
  private final Bindings bindings;
  private final LocalWires local;
  private volatile @Nullable WirePort self; // set before the first address
  private volatile @Nullable Receiver receiver; // written while this is held

  /**
   * Creates a wire without addresses.
   *
   * @param options the options
   * @param local the wires of the driver, with which this one shares memory; with {@link
   *     UdpOptions.Local#WIRE} this one is not entered
   */
  public UdpWire(UdpOptions options, LocalWires local) {
    this.options = options;
    this.local = options.local() == UdpOptions.Local.MEMORY ? local : new LocalWires();
    this.migReq = !options.has(Quirk.MIGREQ_0);
    this.libc = options.path() == UdpOptions.Path.PORTABLE ? null : Libc.INSTANCE;
    this.senders = new Senders(SENDERS, this::sender);
    this.bindings = new Bindings(options, libc, counters, refusals, senders);
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
    bindings.start(r);
    receiver = r;
    self = port;
  }

  /**
   * Binds a socket to an address, so that the wire sends from the address and receives there.
   *
   * @param address an address of this host
   * @throws IOException when the port is in use or the host does not have the address
   */
  public synchronized void open(InetAddress address) throws IOException {
    bindings.open(address);
    if (options.local() == UdpOptions.Local.MEMORY) {
      local.add(Addresses.gid(address), options.port(), this);
    }
  }

  /**
   * Opens the source ports asked for since the last call, ages path proofs, and has multicast, both
   * memberships in groups and what is sent to them, follow the addresses to other interfaces. Call
   * about once a second, unless {@link #mayRest}, and after each change of the host.
   */
  public synchronized void look() {
    bindings.look();
  }

  /**
   * Sets how to wake the thread that calls {@link #look}, when a packet or a failure has ended its
   * rest.
   *
   * @param wake wakes the thread, or keeps it from sleeping; must not block
   */
  public void onWork(Runnable wake) {
    rest.wake(wake);
  }

  /**
   * Begins the rest of the thread that calls {@link #look}: as long as the host does not change,
   * the wire needs no look until it calls what {@link #onWork} was given, once. The wire does so
   * with the next packet that it sends, and with the next datagram that it refuses.
   *
   * @return whether the thread may rest; else {@link #look} is due in a second
   */
  public synchronized boolean mayRest() {
    rest.begin();
    return !bindings.hasWork() && !refusals.isPending();
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

  private boolean own(long high, long low) {
    return bindings.find(high, low) != null;
  }

  /**
   * Joins a group on the interface of the first address of the same IP version; without such an
   * address, when one is opened. The membership follows that address to another interface.
   */
  @Override
  public synchronized void join(Gid group, int mlid) {
    try {
      bindings.join(group);
    } catch (IOException why) {
      throw new IbInvalidException(
          "join " + group,
          String.valueOf(why.getMessage()),
          "join another group, or use another interface");
    }
  }

  @Override
  public synchronized void leave(Gid group, int mlid) {
    bindings.leave(group);
  }

  /**
   * Closes the sockets of an open address. Waits until no thread uses these sockets.
   *
   * @param address the address that was opened
   * @throws IOException when the system refuses to receive on the remaining sockets
   */
  public synchronized void close(InetAddress address) throws IOException {
    local.remove(Addresses.gid(address), options.port(), this);
    bindings.close(address);
  }

  @Override
  public Epoch epoch() {
    return local.epoch;
  }

  /**
   * {@return the port of this driver that has the destination's address, when a datagram from the
   * source would reach it} A service level is no part of a datagram, and a mark of congestion is
   * answered, so requests with these are sent as packets.
   */
  @Override
  public @Nullable WirePort direct(Route route, Gid source, int bytes) {
    Endpoint from = bindings.find(source.high(), source.low());
    UdpWire to =
        from == null || route.sl() != 0 || Ecn.isCongested(route.trafficClass())
            ? null
            : neighbour(route.dgidHigh(), route.dgidLow(), from.network);
    return to == null ? null : to.undisturbed();
  }

  /** The device's port, unless a capture or faults have to see datagrams. */
  private @Nullable WirePort undisturbed() {
    WirePort port = self;
    return port == null ? null : port.direct();
  }

  /** The wire in this JVM that a datagram reaches, unless it has to be a datagram. */
  private @Nullable UdpWire neighbour(long high, long low, Icrc.Network network) {
    UdpWire wire = local.find(high, low, options.port());
    if (wire == null || undisturbed() == null || wire.undisturbed() == null) {
      return null;
    }
    Endpoint to = wire.bindings.find(high, low);
    return to != null && to.network == network ? wire : null;
  }

  /**
   * Hands a packet over in memory, with what the network would have set.
   *
   * @return whether its destination is in this JVM, so that it was handed over
   */
  private boolean handOver(Packet p, Endpoint from, Sender sender, RunContext run) {
    UdpWire to = p.isMulticast() ? null : neighbour(p.dgidHigh, p.dgidLow, from.network);
    WirePort port = to == null ? null : to.self;
    if (to == null || port == null) {
      return false;
    }
    sender.carry(p, from.network);
    counters.count(UdpCounter.UDP_LOCAL);
    if (p.congested) {
      to.counters.count(UdpCounter.NP_ECN_MARKED);
    }
    port.receive(p, run);
    return true;
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    Sender sender = sender(run); // claimed first: no endpoint is closed while a sender is claimed
    if (sender == null) {
      discard(packet, UdpCounter.TX_BUSY, run);
      return;
    }
    Endpoint from = bindings.find(packet.sgidHigh, packet.sgidLow);
    if (from == null) {
      discard(packet, UdpCounter.TX_NO_SOURCE, run);
      return;
    }
    packet.migReq = migReq;
    if (handOver(packet, from, sender, run)) {
      return;
    }
    Endpoint flow = from.flows.find(packet);
    UdpCounter why = sender.add(packet, from, flow == null ? from : flow);
    rest.end(); // after a flow was asked for, or a trial begun
    Receiver r = receiver;
    if (r != null) {
      r.sent();
    }
    if (why == null) {
      packet.release(run);
    } else {
      discard(packet, why, run);
    }
  }

  /** {@return the sender that the run holds until the run ends; null when all are claimed} */
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

  /** {@return true, because a packet may have to be a datagram} */
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
    return bindings.gids();
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
    gids().forEach(gid -> local.remove(gid, options.port(), this));
    Receiver r = receiver;
    receiver = null;
    if (r != null) {
      r.stop();
    }
    bindings.stop();
  }

  /** Frees the memory. Call once, after the engine was shut down. */
  @Override
  public void close() {
    senders.close();
    pool.close();
  }
}
