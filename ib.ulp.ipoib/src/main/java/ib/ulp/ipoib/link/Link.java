package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.QpState;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link of one interface: one partition of one port. From {@link #start} on it is used on the
 * loop's thread only, except where a method says otherwise.
 */
public final class Link {
  /** How often idle paths and groups are looked for (D4). */
  static final long COLLECT_NS = 30_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Link.class);
  private final Loop loop;
  final IbDevice device;
  final int port;
  final LinkConfig config;
  final SaClient sa;
  private final NearSends near;
  private final Statistics statistics = new Statistics();
  final UdQueue queue;
  final Traffic traffic;
  private final LongSends longs;
  private final Paths paths = new Paths(this);
  private final Multicast multicast = new Multicast(this);
  private final ConnectedMode connected;
  final Appearance appearance;
  final Attachments attachments;
  private @Nullable Host host;
  private volatile LinkState state;
  private volatile String warning = "";
  private int pkey;
  private boolean wantConnected;
  private int datagramMtu;
  private String trouble = "not started";
  private boolean stopped;

  /** Creates the queue pair and buffers. Nothing is sent or received before {@link #start}. */
  public Link(Loop loop, IbDevice device, int port, LinkConfig config, SaClient sa, Shared shared) {
    this.loop = loop;
    this.device = device;
    this.port = port;
    this.config = config;
    this.sa = sa;
    queue = new UdQueue(device, port, config.sends(), config.receives(), loop::wake);
    near = new NearSends(shared.nearLinks, loop.kept());
    traffic = new Traffic(queue, statistics, loop, near);
    connected = new ConnectedMode(this, shared);
    longs = new LongSends(this, queue, connected);
    appearance = new Appearance(device, port, config);
    attachments = new Attachments(appearance.ethernet());
    wantConnected = config.connected();
    state = appearance.down("not started", null, address());
    near.at(state.address());
  }

  /** Starts the link; the host is notified of its state. */
  public void start(Host above) {
    host = above;
    traffic.start(above);
    loop.add(traffic);
    loop.add(connected);
    multicast.learn();
    evaluate();
    loop.after(COLLECT_NS, this::collect);
  }

  private void collect() {
    if (!stopped) {
      paths.collect();
      multicast.collect();
      multicast.audit();
      connected.collect();
      loop.after(COLLECT_NS, this::collect);
    }
  }

  /** {@return the present state; any thread may call} */
  public LinkState state() {
    return state;
  }

  public Statistics statistics() {
    return statistics;
  }

  public Loop loop() {
    return loop;
  }

  /** {@return the link's P_Key, with the membership bit} */
  public int pkey() {
    return pkey;
  }

  // ---- events (1.5) ----

  /** Handles an event of the port or device. */
  public void event(EventType type) {
    if (stopped) {
      return;
    }
    switch (type) {
      case CLIENT_REREGISTER, SM_CHANGE -> {
        paths.stale(); // groups are joined again by the core; traffic goes on meanwhile
        multicast.learn();
      }
      case PORT_ACTIVE, PORT_ERR, LID_CHANGE, DEVICE_FATAL -> {
        reset();
        multicast.learn();
      }
      case PKEY_CHANGE, EVENT_OVERFLOW -> partition();
      default -> {} // evaluate() reads the port's GID again
    }
    evaluate();
  }

  /** Stops the queue pairs if the P_Key table has changed at the link's P_Key. */
  private void partition() {
    int index = Partition.index(device, port, config.pkey());
    boolean same =
        index == queue.pkeyIndex() && index >= 0 && Partition.key(device, port, index) == pkey;
    if (!same) {
      reset();
      connected.stop();
      queue.stop(traffic);
    }
  }

  private void reset() {
    multicast.stop();
    connected.flush();
    paths.flush(Drop.TX_NO_CARRIER);
  }

  /** Brings the link as far towards carrier as the port allows (I3, I4), and reports its state. */
  private void evaluate() {
    int index = Partition.index(device, port, config.pkey());
    trouble = appearance.obstacle(index);
    if (trouble.isEmpty()) {
      try {
        if (queue.qp.state() == QpState.RESET) {
          pkey = Partition.key(device, port, index);
          queue.start(index);
        }
        wantConnected = wantConnected && connected.start(queue.qpn(), index);
        multicast.start(Groups.broadcast(pkey, Groups.LINK_LOCAL));
      } catch (IbException e) {
        trouble = "failed: " + e.getMessage();
        log.warn("interface on {} port {}: {}", device.name(), port, e.getMessage());
      }
    }
    report();
  }

  /** Sets connected or datagram mode, which flushes all paths (C6). */
  public void connected(boolean on) {
    if (!stopped && on != wantConnected) {
      wantConnected = on;
      connected.stop();
      paths.flush(Drop.TX_NO_PATH);
      evaluate();
    }
  }

  /** Notifies the host if the link's state has changed. */
  void report() {
    LinkState now = current();
    if (!now.equals(state)) {
      near.at(now.address());
      state = now;
      traffic.know(now.broadcast(), now.address().gid());
      log.trace("{} port {}: {}", device.name(), port, now);
      if (host != null) {
        host.linkChanged(now);
      }
    }
  }

  private LinkState current() {
    McMemberRecord all = multicast.broadcast();
    if (!trouble.isEmpty() || all == null) {
      String why = trouble.isEmpty() ? multicast.trouble() : trouble;
      return appearance.down(why, state, address());
    }
    datagramMtu = appearance.datagramMtu(all);
    return appearance.up(all, address(), datagramMtu, connected.on());
  }

  private LinkAddress address() {
    int flags = connected.on() ? LinkAddress.RC : 0; // W4
    return new LinkAddress(flags, queue.qpn(), device.gid(port, appearance.gidIndex()));
  }

  // ---- what the host sends ----

  /** {@return whether send buffers are free; if not, {@link Host#writable} follows (D8)} */
  public boolean hasRoom() {
    boolean datagrams = traffic.hasRoom();
    return connected.hasRoom() && datagrams;
  }

  /** Sends a packet to one neighbour (D1), or drops and counts it. */
  public void unicast(LinkAddress to, Outgoing packet) {
    if (sendable(packet) && !connected.take(to, packet) && fits(packet)) {
      paths.send(to.gid(), to.qpn(), packet);
    }
  }

  /** {@return the sender of long packets, which the device segments} */
  public LongSends longs() {
    return longs;
  }

  /** Sends a packet to a multicast group, or drops and counts it. */
  public void multicast(Gid group, Outgoing packet) {
    if (sendable(packet) && fits(packet)) {
      multicast.send(group, packet);
    }
  }

  /** Sends a packet to the broadcast group, or drops and counts it. */
  public void broadcast(Outgoing packet) {
    multicast(state.broadcast(), packet);
  }

  private boolean sendable(Outgoing packet) {
    if (!state.carrier()) {
      drop(Drop.TX_NO_CARRIER);
    } else if (!Encapsulation.carries(packet.type())) {
      drop(Drop.TX_TYPE); // W1
    } else if (packet.length() > state.mtu()) {
      tooLong(packet, state.mtu());
    } else {
      return true;
    }
    return false;
  }

  private boolean fits(Outgoing packet) {
    boolean fits = packet.length() <= Math.min(datagramMtu, state.mtu());
    if (!fits) {
      tooLong(packet, datagramMtu);
    }
    return fits;
  }

  /** Drops a packet and notifies the host of the length that would have passed (I10). */
  void tooLong(Outgoing packet, int mtu) {
    statistics.add(Count.TX_ERRORS, 1);
    drop(Drop.TX_TOO_LONG);
    if (host != null) {
      host.tooLong(packet, mtu);
    }
  }

  /** Receives a group's packets until {@link #leave}; each join needs one leave. */
  public void join(Gid group) {
    multicast.want(group);
  }

  /** Undoes one {@link #join}. */
  public void leave(Gid group) {
    multicast.unwant(group);
  }

  public void drop(Drop why) {
    statistics.drop(why);
  }

  // ---- the parts ----

  Paths ways() {
    return paths;
  }

  int datagramMtu() {
    return datagramMtu;
  }

  void takeQkey(int value) {
    traffic.qkey(value);
  }

  void broadcastJoined(McMemberRecord record) {
    String now = LinkCheck.warning(record, device.port(port));
    if (!now.isEmpty() && !now.equals(warning)) {
      log(now);
    }
    warning = now;
    report();
  }

  /** {@return a fault of the subnet that does not stop all packets, in words, or empty} */
  public String warning() {
    return warning;
  }

  void log(String text) {
    log.warn("{} port {}: {}", device.name(), port, text);
  }

  // ---- the end ----

  /** Leaves all groups, drops waiting packets, and destroys queue pairs and buffers. */
  public void stop() {
    if (!stopped) {
      trouble = "removed";
      report();
      reset();
      multicast.end();
      stopped = true;
      traffic.stop();
      connected.stop();
      queue.stop(traffic);
      queue.close();
      near.gone();
    }
  }

  /** {@return the state of each multicast group, as text for users} */
  public Map<String, String> groups() {
    return multicast.list();
  }

  /** {@return the state of the connections by peer, as text for users} */
  public Map<String, String> connections() {
    return connected.list();
  }

  /** {@return the state of each path, as text for users} */
  public Map<String, String> paths() {
    return paths.list();
  }
}
