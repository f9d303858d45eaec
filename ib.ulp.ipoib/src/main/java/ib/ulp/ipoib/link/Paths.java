package ib.ulp.ipoib.link;

import ib.core.sa.PathRecord;
import ib.core.sa.PathRecord.Field;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;
import ib.ulp.ipoib.cm.Way;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The paths to the ports that this interface sends to (D1, D3, D4). Used on the loop's thread only.
 */
final class Paths {
  /** How many packets wait for one path (D1). */
  static final int QUEUE = 3;

  /** A path is forgotten when it was not used for this time (D4). */
  static final long IDLE_NS = 60_000_000_000L;

  /** How many paths there may be: a peer that sends a request makes the link send to its GID. */
  static final int MAX_PATHS = 4096;

  /** How long a query to the subnet administrator may take (D1). */
  static final int TIMEOUT_MS = 1000;

  /**
   * After a failed query no query is sent for this time, which doubles with each further failure,
   * at most four times.
   */
  private static final long HOLD_OFF_NS = 100_000_000L;

  private static final int MAX_DOUBLED = 4;

  /** A packet that waits for a path. */
  private record Waiting(int qpn, byte[] packet) {}

  private static final class Path {
    final Gid gid;
    final Deque<Waiting> queue = new ArrayDeque<>();
    final List<Consumer<@Nullable Way>> askers = new ArrayList<>();
    @Nullable AddressHandle ah;
    @Nullable PathRecord way;
    @Nullable CompletableFuture<PathRecord> query;
    boolean stale;
    long usedNs;
    long askedNs;
    boolean asked;
    int failures; // in a row
    int asks; // number of the newest query

    Path(Gid gid) {
      this.gid = gid;
    }
  }

  private final Link link;
  private final Map<Gid, Path> paths = new HashMap<>();
  private int asks;

  Paths(Link link) {
    this.link = link;
  }

  /** The path to a port; null when there are too many and each has a query under way. */
  private @Nullable Path of(Gid gid) {
    Path known = paths.get(gid);
    if (known == null && (paths.size() < MAX_PATHS || forgotten())) {
      known = new Path(gid);
      paths.put(gid, known);
    }
    return known;
  }

  /** Forgets the path that was unused for longest. {@return whether there was one} */
  private boolean forgotten() {
    Path oldest = null;
    for (Path path : paths.values()) {
      if (path.query == null && (oldest == null || path.usedNs - oldest.usedNs < 0)) {
        oldest = path;
      }
    }
    if (oldest != null) {
      close(oldest);
      paths.remove(oldest.gid);
    }
    return oldest != null;
  }

  /** Sends a packet to a port, or keeps the packet until the path is known. */
  void send(Gid gid, int qpn, Outgoing packet) {
    Path path = of(gid);
    if (path == null) {
      link.drop(Drop.TX_NO_PATH);
      return;
    }
    path.usedNs = link.loop().now();
    if (path.ah == null || path.stale) {
      ask(path);
    }
    AddressHandle ah = path.ah;
    if (ah != null) {
      link.traffic.transmit(ah, gid, qpn, packet);
    } else if (path.query == null) {
      link.drop(Drop.TX_NO_PATH);
    } else if (path.queue.size() >= QUEUE) {
      link.drop(Drop.TX_PATH_QUEUE);
    } else {
      path.queue.add(new Waiting(qpn, packet.toBytes()));
    }
  }

  /** {@return the address handle for a port if its path is known and not stale} */
  @Nullable AddressHandle known(Gid gid) {
    Path path = paths.get(gid);
    if (path == null || path.stale) {
      return null;
    }
    path.usedNs = link.loop().now();
    return path.ah;
  }

  /**
   * Calls {@code asker} with the path to a port, now or when it is known; with null when there is
   * no path or it is flushed.
   */
  void resolve(Gid gid, Consumer<@Nullable Way> asker) {
    Path path = of(gid);
    if (path == null) {
      asker.accept(null);
      return;
    }
    path.usedNs = link.loop().now();
    if (path.ah == null || path.stale) {
      ask(path);
    }
    if (path.query == null || path.ah != null) {
      asker.accept(path.ah == null ? null : way(path));
    } else {
      path.askers.add(asker);
    }
  }

  private void ask(Path path) {
    long now = link.loop().now();
    if (path.query != null || path.asked && now - path.askedNs < holdOff(path)) {
      return;
    }
    path.asked = true;
    path.askedNs = now;
    link.statistics().add(Statistics.Count.PATH_QUERIES, 1);
    CompletableFuture<PathRecord> query = query(path.gid);
    path.query = query;
    int asked = ++asks;
    path.asks = asked;
    query.whenComplete((way, why) -> link.loop().execute(() -> answered(path, asked, way, now)));
  }

  private static long holdOff(Path path) {
    return HOLD_OFF_NS << Math.clamp(path.failures - 1L, 0, MAX_DOUBLED);
  }

  private CompletableFuture<PathRecord> query(Gid gid) {
    return link.sa.get(
        new PathRecord()
            .set(Field.DGID, gid)
            .set(Field.SGID, link.state().address().gid())
            .set(Field.NUMB_PATH, 1)
            .set(Field.TCLASS, 0)
            .set(Field.PKEY, link.pkey()),
        TIMEOUT_MS);
  }

  private void answered(Path path, int asked, @Nullable PathRecord way, long t) {
    if (path.asks != asked || !path.equals(paths.get(path.gid))) {
      return; // the path was flushed before the answer arrived
    }
    path.query = null;
    if (way != null && !make(path, way)) {
      way = null;
    }
    path.failures = way == null ? path.failures + 1 : 0;
    if (way == null) {
      link.statistics().add(Statistics.Count.PATHS_FAILED, 1);
      path.queue.forEach(waiting -> link.drop(Drop.TX_NO_PATH));
      path.queue.clear();
      tell(path);
      return;
    }
    long us = (link.loop().now() - t) / 1000;
    link.statistics().add(Statistics.Count.PATH_LATENCY_US, us);
    AddressHandle ah = path.ah;
    for (Waiting waiting = path.queue.poll(); waiting != null; waiting = path.queue.poll()) {
      if (ah != null) {
        link.traffic.transmit(ah, waiting.qpn, waiting.packet);
      }
    }
    tell(path);
  }

  private void tell(Path path) {
    List<Consumer<@Nullable Way>> askers = List.copyOf(path.askers);
    path.askers.clear();
    askers.forEach(asker -> asker.accept(way(path)));
  }

  private @Nullable Way way(Path path) {
    PathRecord known = path.way;
    if (known == null || path.ah == null) {
      return null;
    }
    PortAttr port = link.device.port(link.port);
    int code = known.value(Field.MTU);
    Mtu mtu = code == 0 ? port.activeMtu() : Mtu.of(code);
    return new Way(attributes(path.gid, known), mtu, port.lid());
  }

  private boolean make(Path path, PathRecord way) {
    path.stale = false;
    if (Objects.equals(way, path.way) && path.ah != null) {
      return true;
    }
    try {
      AddressHandle made = link.queue.pd.createAh(attributes(path.gid, way));
      close(path);
      path.ah = made;
      path.way = way;
      return true;
    } catch (IbException e) {
      link.log("the path to " + path.gid + " cannot be used: " + e.getMessage());
      return false;
    }
  }

  /**
   * {@return the address vector of a path; its destination GID is the GID that was asked for (D3)}
   */
  private AhAttr attributes(Gid gid, PathRecord way) {
    AhAttr attr = way.ahAttr(link.port, link.appearance.gidIndex());
    GlobalRoute route = attr.grh();
    return route == null
        ? attr
        : new AhAttr(
            attr.dlid(),
            attr.sl(),
            0,
            attr.staticRate(),
            attr.port(),
            new GlobalRoute(
                gid,
                route.flowLabel(),
                link.appearance.gidIndex(),
                route.hopLimit(),
                route.trafficClass()));
  }

  /**
   * Marks all paths as stale: each is queried again at its next use, and used until the answer
   * arrives (1.5).
   */
  void stale() {
    paths.values().forEach(path -> path.stale = true);
    paths.values().forEach(path -> path.asked = false);
    paths.values().forEach(path -> path.failures = 0);
  }

  /** Forgets all paths and drops the packets that wait for them. */
  void flush(Drop why) {
    List<Path> gone = List.copyOf(paths.values());
    for (Path path : gone) {
      path.queue.forEach(waiting -> link.drop(why));
      close(path);
      if (path.query != null) {
        path.query.cancel(false);
      }
    }
    paths.clear();
    gone.forEach(this::tell);
  }

  /** Forgets idle paths (D4). */
  void collect() {
    long now = link.loop().now();
    for (Iterator<Path> all = paths.values().iterator(); all.hasNext(); ) {
      Path path = all.next();
      if (path.query == null && now - path.usedNs >= IDLE_NS) {
        close(path);
        all.remove();
      }
    }
  }

  private static void close(Path path) {
    if (path.ah != null) {
      path.ah.close(); // S5: the driver keeps what posted requests need
      path.ah = null;
    }
  }

  /** {@return the state of each path by GID, as text for users} */
  Map<String, String> list() {
    Map<String, String> list = new TreeMap<>();
    paths.forEach(
        (gid, path) ->
            list.put(
                gid.toString(),
                path.way == null
                    ? (path.query == null ? "failed" : "asked, " + path.queue.size() + " waiting")
                    : String.format(
                        "lid 0x%04x, sl %d%s",
                        path.way.value(Field.DLID),
                        path.way.value(Field.SL),
                        path.stale ? ", asked again" : "")));
    return list;
  }
}
