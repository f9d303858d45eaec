package samples.nvmet;

import ib.cm.CmClient;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.client.IbCore;
import ib.core.client.Incidents;
import ib.core.verbs.IbException;
import ib.core.verbs.Limit;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * An NVMe over Fabrics target with one subsystem and its discovery service, on all devices there
 * are and come. What a host sends and is wrong is answered with a status of NVMe, or ends its
 * connection where there is no command to answer to, and is counted by its reason.
 *
 * <p>Commands run on threads of their connections' completion queues. One thread of the target
 * looks after hosts that have gone silent. Any thread may call.
 */
public final class Target implements AutoCloseable {
  private static final long WATCH_MS = 500;
  private static final int MAX_ID = 0xffef; // the numbers above have meanings of their own
  private static final int MAX_READS = 255; // as a REP carries them

  private final Subsystem subsystem;
  private final Limits limits;
  private final LongSupplier clock;
  private final Share.Shares shares;
  private final Incidents incidents;
  private final RdmaCm cm;
  private final RdmaListener listener;
  private final ScheduledExecutorService watch;

  // guarded by this
  private final Set<Link> links = new HashSet<>();
  private final Map<Integer, Controller> controllers = new TreeMap<>();
  private int lastId;

  /** As {@link #open}, with a clock, in nanoseconds, and without the thread that looks at it. */
  Target(
      IbCore core,
      CmClient connections,
      InetSocketAddress at,
      Settings settings,
      boolean watching) {
    subsystem = settings.subsystem;
    limits = settings.limits;
    clock = settings.clock;
    shares = new Share.Shares(subsystem.store());
    incidents = new Incidents("nvmet", LoggerFactory.getLogger(Target.class)::warn);
    cm = RdmaCm.open(core, connections, "nvmet");
    boolean made = false;
    try {
      listener = cm.listen(at, PortSpace.TCP, 0, this::requested);
      made = true;
    } finally {
      if (!made) {
        cm.close();
      }
    }
    watch =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("nvmet-watch").factory());
    if (watching) {
      watch.scheduleWithFixedDelay(
          () -> incidents.outlive(this::look), WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Parts of a target.
   *
   * @param subsystem what it serves
   * @param limits what hosts may have
   * @param clock nanoseconds
   */
  record Settings(Subsystem subsystem, Limits limits, LongSupplier clock) {}

  /**
   * Serves a subsystem.
   *
   * @param core the midlayer
   * @param connections the connection manager, a client of the same midlayer
   * @param at address and port, usually 4420; the wildcard address for all devices; port 0 for any
   * @param subsystem what to serve; its store is closed after the target, by its owner
   * @param limits what hosts may have
   * @return close it
   * @throws ib.core.verbs.IbExistsException when the port is in use
   * @throws ib.core.verbs.IbNoDeviceException when no device has the address
   */
  public static Target open(
      IbCore core, CmClient connections, InetSocketAddress at, Subsystem subsystem, Limits limits) {
    Settings settings = new Settings(subsystem, limits, System::nanoTime);
    return new Target(core, connections, at, settings, true);
  }

  /** {@return address and port where it listens} */
  public InetSocketAddress address() {
    return listener.localAddress();
  }

  /** {@return how many commands and connections were refused, and how many failed, by reason} */
  public Map<String, Long> counters() {
    return incidents.counts();
  }

  /** {@return a line for each controller} */
  public synchronized List<String> controllers() {
    return controllers.values().stream().map(Controller::toString).toList();
  }

  /** {@return how many connections there are, also such as have no controller yet} */
  public synchronized int connections() {
    return links.size();
  }

  // ---- connections ----

  private void requested(RdmaRequest request) {
    Greeting.Refusal why = Greeting.check(request.data(), limits);
    if (why == null && request.initiatorDepth() < 1) {
      why = Greeting.Refusal.READ_DEPTH; // the target reads what the host writes
    }
    Greeting greeting = Greeting.read(request.data());
    Link link = new Link(this, greeting, request.localAddress(), request.remoteAddress());
    if (why == null && !enter(link)) {
      why = Greeting.Refusal.NO_RESOURCES;
    }
    if (why == null) {
      accept(request, link);
    } else {
      link.refused("connection: " + why);
      request.reject(why.data());
    }
  }

  private synchronized boolean enter(Link link) {
    return links.size() < limits.connections() && links.add(link);
  }

  private void accept(RdmaRequest request, Link link) {
    long most = request.device().attrs().limit(Limit.MAX_QP_INIT_RD_ATOM);
    try {
      RdmaOptions options = RdmaOptions.rc().reads(0, (int) Math.min(most, MAX_READS));
      link.accepted(request.accept(options, link, link));
    } catch (IbException e) { // the peer has given up, or there is no memory; it is rejected then
      link.refused("connection: " + e.errno());
      leave(link);
    }
  }

  private synchronized void leave(Link link) {
    links.remove(link);
  }

  /** A connection has ended; with that of an admin queue its controller ends. */
  void gone(Link link, RdmaEnd end) {
    LoggerFactory.getLogger(Target.class).debug("{}: {}", link, end);
    leave(link);
    Controller controller = link.controller();
    if (controller != null && link.greeting().isAdmin()) {
      synchronized (this) {
        controllers.remove(controller.id());
      }
      controller.end();
    } else if (controller != null) {
      controller.detach(link);
    }
  }

  // ---- controllers ----

  boolean serves(String nqn) {
    return nqn.equals(subsystem.nqn()) || nqn.equals(Subsystem.DISCOVERY);
  }

  /** Makes a controller for an admin queue; {@return null when its connection has ended} */
  synchronized Controller newController(Link admin, Host host, String nqn, long katoMs) {
    if (!links.contains(admin)) {
      return null;
    }
    do {
      lastId = lastId % MAX_ID + 1;
    } while (controllers.containsKey(lastId)); // there are no more than connections
    Controller made = new Controller(lastId, admin, host, nqn, katoMs);
    controllers.put(lastId, made);
    return made;
  }

  /** {@return the controller that the host has made; null when there is no such controller} */
  synchronized Controller controller(int id, Host host, String nqn) {
    Controller found = controllers.get(id);
    return found == null || !found.isOf(host, nqn) ? null : found;
  }

  /** Ends the connections of hosts that have gone silent. */
  void look() {
    long now = nowNs();
    List<Controller> silent;
    List<Link> idle;
    synchronized (this) {
      silent = controllers.values().stream().filter(c -> c.isSilent(now)).toList();
      idle = links.stream().filter(l -> l.isIdle(now)).toList();
    }
    for (Controller controller : silent) {
      controller.admin().refused("keep alive timer expired");
      controller.end();
    }
    idle.forEach(link -> link.fail("no Connect command in time"));
  }

  // ---- what its parts share ----

  Subsystem subsystem() {
    return subsystem;
  }

  Limits limits() {
    return limits;
  }

  Share.Shares shares() {
    return shares;
  }

  Incidents incidents() {
    return incidents;
  }

  long nowNs() {
    return clock.getAsLong();
  }

  /** Ends all connections. When this returns, nothing of it runs, and no device has its memory. */
  @Override
  public void close() {
    watch.shutdownNow();
    listener.close();
    cm.close();
    try {
      if (!watch.awaitTermination(1, TimeUnit.MINUTES)) {
        incidents.refused("the watch does not end", this::toString);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return subsystem.nqn() + " at " + address();
  }
}
