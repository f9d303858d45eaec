package ib.cm.internal.machine;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.Mad;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntBiFunction;
import java.util.random.RandomGenerator;

/**
 * Some ports in virtual time, for one case: a net that loses a fifth of the messages, repeats and
 * reorders others, and a program at each port that accepts, moves its queue pairs and closes what
 * is left at the end. A case changes what it is about. All follows from the seed.
 */
final class Lab {
  static final long SERVICE = 0x0200_0000_0000_0014L;
  static final long MS = 1_000_000L;
  static final byte[] NONE = {};

  /** 135 ms for an answer, 15 repetitions, 67 ms of timewait. */
  static final CmTerms TERMS = new CmTerms(7, 14, 15, 15, 0);

  private static final int LOSS_PERCENT = 20;
  private static final int REPEAT_PERCENT = 15;
  private static final long MAX_DELAY_MS = 50; // shorter than timewait
  private static final int MAX_EVENTS = 10_000_000;
  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  private record Later(long atNs, long number, Side by, Runnable what)
      implements Comparable<Later> {
    @Override
    public int compareTo(Later o) {
      return atNs != o.atNs ? Long.compare(atNs, o.atNs) : Long.compare(number, o.number);
    }
  }

  /** What the program has heard of a connection. */
  static final class Heard {
    final List<CmEvent> events = new ArrayList<>();
    int qpn;

    <T extends CmEvent> List<T> all(Class<T> type) {
      return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    boolean isUp() {
      return !all(CmEvent.Established.class).isEmpty();
    }

    CmEnd end() {
      return all(CmEvent.Ended.class).getFirst().how();
    }

    int reason() {
      return all(CmEvent.Ended.class).getFirst().reason();
    }
  }

  final Random random;
  final StateTable table;
  private final Limits limits;
  final List<String> wrong = new ArrayList<>();
  final Side a;
  final Side b;

  /** How many copies of a message arrive. */
  ToIntBiFunction<Side, CmMessage> fate = (from, m) -> chance();

  private final Map<Integer, Side> sides = new LinkedHashMap<>();
  private final PriorityQueue<Later> later = new PriorityQueue<>();

  /** When all that is left is closed. */
  long endMs = 200_000;

  private final List<Runnable> checks = new ArrayList<>();
  private long nowNs;
  private long number;
  private int qpns = 100;

  Lab(long seed, StateTable table) {
    this(seed, table, Limits.DEFAULT);
  }

  Lab(long seed, StateTable table, Limits limits) {
    this.limits = limits;
    random = new Random(seed * GOLDEN); // the first numbers of neighbours are much alike
    this.table = table;
    a = side(1);
    b = side(2);
  }

  /** {@return 0, 1 or 2 copies} */
  int chance() {
    int copies = percent(REPEAT_PERCENT) ? 2 : 1;
    int arrive = 0;
    for (int i = 0; i < copies; i++) {
      arrive += percent(LOSS_PERCENT) ? 0 : 1;
    }
    return arrive;
  }

  boolean percent(int of) {
    return random.nextInt(100) < of;
  }

  long upTo(long ms) {
    return random.nextLong(ms * MS + 1);
  }

  /** {@return a port with a program that does what a case asks for} */
  Side side(int lid) {
    Side made = new Side(lid);
    sides.put(lid, made);
    return made;
  }

  /** Does something later. */
  void in(long ns, Side by, Runnable what) {
    later.add(new Later(nowNs + ns, number++, by, what));
  }

  /** Checks something at the end. */
  void then(Runnable check) {
    checks.add(check);
  }

  void must(boolean is, String what) {
    if (!is) {
      wrong.add(what);
    }
  }

  private static Gid gid(int lid) {
    return Gid.linkLocal(0x1000L + lid);
  }

  /** A port, its station and its program. */
  final class Side {
    final int lid;
    final Map<Connection, Heard> heard = new LinkedHashMap<>();
    final Set<Integer> queuePairs = new HashSet<>();
    final Map<String, Integer> sent = new LinkedHashMap<>();

    /** Names of connections. */
    RandomGenerator names = random;

    /** What the program does with an event, beside what it has to do. */
    BiConsumer<Connection, CmEvent> does = (c, event) -> {};

    /** What the program does with a request. */
    Consumer<Connection> decides = c -> in(upTo(20), this, () -> accept(c, NONE));

    /** Whether what was heard of a connection that is over is forgotten. */
    boolean forgets;

    /** Private data of its RTUs. */
    byte[] rtu = NONE;

    Listener listener;
    Station station;
    boolean hasGid = true;
    long standsUntilNs;

    Side(int lid) {
      this.lid = lid;
      start();
    }

    /** The host is started again: nothing is left of what it knew. */
    void restart() {
      heard.clear();
      queuePairs.clear();
      start();
    }

    private void start() {
      Self self = new SimulatedPort(lid, () -> hasGid);
      RandomGenerator each =
          new RandomGenerator() {
            @Override
            public int nextInt() {
              return names.nextInt();
            }

            @Override
            public long nextLong() {
              return random.nextLong();
            }
          };
      station = new Station(self, () -> nowNs, each, this::send, table, limits);
    }

    private void send(CmMessage m, AhAttr way, int pkeyIndex) {
      sent.merge(Difference.brief(m), 1, Integer::sum);
      Mad bytes = m.mad().copy();
      for (int left = fate.applyAsInt(this, m); left > 0; left--) {
        deliver(bytes, lid, way.dlid(), upTo(percent(50) ? 1 : MAX_DELAY_MS));
      }
    }

    /** {@return how many messages of a kind were sent} */
    int sent(String brief) {
      return sent.getOrDefault(brief, 0);
    }

    Side listen(int backlog) {
      listener = station.listen(SERVICE, Set.of(QpType.RC), backlog, this::ears);
      return this;
    }

    CmPath path(Side to) {
      AhAttr way = AhAttr.ofLid(1, to.lid, 0);
      return new CmPath(way, gid(lid), gid(to.lid), lid, Mtu.MTU_1024, 12, 0xffff, 0);
    }

    int queuePair() {
      return queuePair(++qpns);
    }

    /** Makes a queue pair; {@return its number} */
    int queuePair(int qpn) {
      queuePairs.add(qpn);
      return qpn;
    }

    Connection connect(Side to) {
      return connect(to, TERMS, CmEndpoint.of(queuePair(), random.nextInt(1 << 24)), NONE);
    }

    Connection connect(Side to, CmTerms terms, CmEndpoint mine, byte[] data) {
      Connection c = station.connect(SERVICE, path(to), mine, terms, data, this::ears);
      heard(c).qpn = mine.qpn();
      return c;
    }

    Heard heard(Connection c) {
      return heard.computeIfAbsent(c, made -> new Heard());
    }

    Consumer<CmEvent> ears(Connection c) {
      Heard h = heard(c);
      return event -> hear(c, h, event);
    }

    private void hear(Connection c, Heard h, CmEvent event) {
      boolean over = !h.all(CmEvent.Released.class).isEmpty();
      must(!over, c + " hears " + event + " after its release");
      h.events.add(event);
      switch (event) {
        case CmEvent.Requested r -> decides.accept(c);
        case CmEvent.Replied r -> in(upTo(20), this, () -> ready(c, rtu));
        case CmEvent.Ended e -> queuePairs.remove(h.qpn);
        default -> {}
      }
      does.accept(c, event);
      if (forgets && event instanceof CmEvent.Released && h.all(CmEvent.Ended.class).size() == 1) {
        heard.remove(c);
      }
    }

    boolean can(Connection c, Input input) {
      return StateTable.IBA.row(c.state, input) != null;
    }

    void accept(Connection c, byte[] data) {
      if (can(c, Input.ACCEPT)) {
        int qpn = queuePair();
        heard(c).qpn = qpn;
        station.accept(c, CmEndpoint.of(qpn, random.nextInt(1 << 24)), data);
      }
    }

    void reject(Connection c, byte[] data) {
      if (can(c, Input.REJECT)) {
        station.reject(c, CmConnection.CONSUMER_REJECT, NONE, data);
      }
    }

    void ready(Connection c, byte[] data) {
      if (can(c, Input.READY)) {
        station.ready(c, data);
      }
    }

    void disconnect(Connection c) {
      if (can(c, Input.DISCONNECT)) {
        station.disconnect(c, NONE);
      }
    }

    /** The device goes. */
    void remove() {
      List.copyOf(heard.keySet()).forEach(station::remove);
      if (listener != null) {
        station.unlisten(listener);
      }
    }

    /** Hears nothing and does nothing for a time, and then all at once. */
    void stand(long ns) {
      standsUntilNs = nowNs + ns;
    }

    private long due() {
      long next = station.nextNs();
      return next == Connection.NO_TIMER ? next : Math.max(next, standsUntilNs);
    }
  }

  /** Delivers a message. */
  void deliver(Mad mad, int from, int to, long ns) {
    Side side = sides.get(to);
    in(ns, side, () -> side.station.received(mad.copy(), AhAttr.ofLid(1, from, 0), 0));
  }

  long nowNs() {
    return nowNs;
  }

  /** Runs to the end; {@return what is wrong} */
  List<String> run() {
    in(endMs * MS, a, this::end);
    for (int i = 0; i < MAX_EVENTS; i++) {
      Later next = later.peek();
      long at = next == null ? Long.MAX_VALUE : next.atNs;
      Side first = a;
      long due = a.due();
      for (Side each : sides.values()) {
        long its = each.due();
        first = its < due ? each : first;
        due = Math.min(due, its);
      }
      if (at == Long.MAX_VALUE && due == Long.MAX_VALUE) {
        judge();
        return wrong;
      }
      nowNs = Math.max(nowNs, Math.min(at, due));
      if (due <= at || next == null) {
        first.station.tick();
      } else {
        later.remove();
        if (next.by.standsUntilNs > nowNs) {
          later.add(new Later(next.by.standsUntilNs, next.number, next.by, next.what));
        } else {
          next.what.run();
        }
      }
    }
    wrong.add("it does not end");
    return wrong;
  }

  /** Ends what is left. */
  private void end() {
    for (Side each : sides.values()) {
      if (each.listener != null) {
        each.station.unlisten(each.listener);
      }
      List.copyOf(each.heard.keySet()).forEach(each.station::close);
    }
  }

  private void judge() {
    for (Side each : sides.values()) {
      each.heard.forEach(
          (c, h) -> {
            int ends = h.all(CmEvent.Ended.class).size();
            int ups = h.all(CmEvent.Established.class).size();
            int releases = h.all(CmEvent.Released.class).size();
            must(ends == 1 && releases == 1 && ups <= 1, each.lid + ": " + c + " " + h.events);
          });
      must(each.queuePairs.isEmpty(), each.lid + " has queue pairs " + each.queuePairs);
      must(each.station.size() == 0, each.lid + " has " + each.station.size() + " entries");
    }
    if (wrong.isEmpty()) {
      checks.forEach(Runnable::run);
    }
  }
}
