package ib.engine.sim;

import ib.core.verbs.QpType;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** One simulation: all of it follows from the seed and the profile. */
public final class Sim {
  private static final int MAX_TURNS = 2_000_000;
  private static final int SETTLE_TURNS = 8;
  private static final long REST_NS = 36_000_000_000_000L;
  private static final int SHARED_BYTES = 16_384;
  private static final int MAX_NODES = 6;
  private static final int MAX_PAIRS = 6;
  private static final int WEATHER_TURNS = 24;

  final Profile profile;
  final SplittableRandom random;
  final VirtualClock clock = new VirtualClock();
  final Trace trace;
  final SimFabric fabric;
  final Group group = new Group();
  private final long seed;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Link> links = new ArrayList<>();
  private long bytes;
  private long messages;
  private final Map<String, Long> done = new TreeMap<>();
  boolean cancelled; // timers, perhaps, since the last step
  long wraps;
  long failures;
  long connects;

  /**
   * The counts of a simulation.
   *
   * @param hash of all packets and completions in order
   * @param bytes verified
   * @param messages delivered
   * @param packets transmitted
   * @param direct packets that were not needed, because their request was executed at the peer
   * @param switches how often a connection has gone from packets to none or back
   * @param wraps of sequence numbers
   * @param laps how often a connection has used all sequence numbers
   * @param failures requests that failed as they had to
   * @param connects how often queue pairs were connected
   * @param virtualNs virtual time that has passed
   * @param done how often each thing was done
   */
  public record Report(
      long hash,
      long bytes,
      long messages,
      long packets,
      long direct,
      long switches,
      long wraps,
      long laps,
      long failures,
      long connects,
      long virtualNs,
      Map<String, Long> done) {}

  private Sim(long seed, Profile profile, boolean bytes) {
    this.trace = new Trace(bytes);
    this.seed = seed;
    this.profile = profile;
    this.random = new SplittableRandom(seed);
    boolean direct = profile.direct();
    boolean segments = !direct && (profile != Profile.CLEAN || random.nextBoolean());
    this.fabric = new SimFabric(trace, clock, segments, direct, random.split());
    clock.advance(random.nextLong(1L << 40));
  }

  /**
   * Runs a simulation.
   *
   * @param seed any number
   * @param profile what it is put through
   * @return what it has done
   * @throws SimFailure with the line that replays it
   */
  public static Report run(long seed, Profile profile) {
    return run(seed, profile, false);
  }

  /** Runs a simulation with every byte of every packet in the hash. */
  static Report runBytes(long seed, Profile profile) {
    return run(seed, profile, true);
  }

  private static Report run(long seed, Profile profile, boolean bytes) {
    Sim sim = new Sim(seed, profile, bytes);
    try {
      return sim.run();
    } catch (RuntimeException | AssertionError e) {
      throw new SimFailure(
          String.format(
              "%s%nreplay: -Dib.sim.seed=%d -Dib.sim.profile=%s, %d packets, hash %016x",
              e, seed, profile, sim.trace.packets(), sim.trace.hash()),
          e);
    }
  }

  /** {@return a checker's finding with the line that replays it, or null; for another loader} */
  public static String verdict(long seed, String profile) {
    try {
      run(seed, Profile.valueOf(profile));
      return null;
    } catch (SimFailure e) {
      return e.getMessage();
    }
  }

  private Report run() {
    build();
    long start = clock.nanoTime();
    for (int turn = 0; turn(); turn++) {
      if (turn > MAX_TURNS) {
        throw new SimFailure("after " + turn + " turns there is no end: " + waiting());
      }
    }
    end();
    return new Report(
        trace.hash(),
        bytes,
        messages,
        trace.packets(),
        links.stream().mapToLong(Link::direct).sum(),
        links.stream().mapToLong(Link::switches).sum(),
        wraps,
        links.stream().mapToLong(Link::laps).sum(),
        failures,
        connects,
        clock.nanoTime() - start,
        done);
  }

  private void build() {
    int count = profile.bulk() ? 2 : 2 + random.nextInt(MAX_NODES - 1);
    for (int i = 1; i <= count; i++) {
      nodes.add(new Node(this, i, config(i), profile, SHARED_BYTES));
    }
    int pairs = profile == Profile.LAP ? 1 : profile.bulk() ? 2 : 1 + random.nextInt(MAX_PAIRS);
    for (int i = 0; i < pairs; i++) {
      int kind = profile.bulk() ? 9 : random.nextInt(10);
      QpType type = kind == 0 ? QpType.UD : kind == 1 ? QpType.UC : QpType.RC;
      Node a = nodes.get(random.nextInt(count));
      Node b = nodes.get(random.nextInt(count));
      links.add(new Link(this, type, a, b));
    }
  }

  private HcaConfig config(int lid) {
    boolean bulk = profile.bulk();
    return HcaConfig.of(0x1000L * lid, 0x1000L * lid + 1)
        .withPace(
            bulk ? 1 << 20 : 4096 << random.nextInt(9),
            bulk ? 1 << 18 : 4096 * (1 + random.nextInt(64)),
            2 << random.nextInt(4),
            1 << random.nextInt(4),
            bulk ? 128 : 2 + random.nextInt(127));
  }

  /** Runs one round of all nodes and programs. Returns false when all is done. */
  private boolean turn() {
    int work = step(1);
    if (cancelled) {
      cancelled = false;
      nodes.forEach(Node::checkTimers);
    }
    work += poll();
    for (Link l : links) {
      work += l.turn(false);
    }
    if (profile.direct()) {
      boolean disturbed = nodes.stream().anyMatch(Node::disturbed);
      links.forEach(l -> l.observe(disturbed));
      nodes.forEach(Node::checkClaims);
      weather(disturbed);
    }
    clock.advance(random.nextInt(500));
    if (profile == Profile.SOAK && links.stream().noneMatch(Link::waits)) {
      rest();
    }
    if (work > 0) {
      return true;
    }
    return idle();
  }

  /** Lets the medium disturb packets from now on, or no longer. */
  private void weather(boolean disturbed) {
    if (profile.changes() && random.nextInt(WEATHER_TURNS) == 0) {
      nodes.forEach(n -> n.weather(disturbed));
    }
  }

  /** Lets hours pass without a request: afterwards no timer runs and no packet is kept. */
  private void rest() {
    step(1); // timers that were just started begin to run now
    clock.advance(random.nextLong(REST_NS / 100, REST_NS)); // longer than any timer
    comeToRest();
    for (Node n : nodes) {
      if (n.hca.earliestTimerNs() != Long.MAX_VALUE || n.wire.copies() != 0) {
        throw new SimFailure(
            "node "
                + n.lid
                + " after a rest: a timer ("
                + (n.hca.earliestTimerNs() - clock.nanoTime())
                + ") or a packet ("
                + n.wire.copies()
                + ", held "
                + n.wire.held()
                + ") is left");
      }
    }
  }

  private int step(int times) {
    int work = 0;
    int first = random.nextInt(nodes.size());
    for (int t = 0; t < times; t++) {
      for (int i = 0; i < nodes.size(); i++) {
        work += nodes.get((first + i) % nodes.size()).hca.step();
      }
    }
    return work;
  }

  /** Receives of all nodes first: an acknowledged message has arrived by then. */
  int poll() {
    int work = 0;
    for (Node n : nodes) {
      work += n.pollReceives();
    }
    for (Node n : nodes) {
      work += n.pollSends();
    }
    return work;
  }

  /** Nothing to do now: lets receives come, or time pass until something is due. */
  private boolean idle() {
    int work = 0;
    boolean busy = false;
    long next = Long.MAX_VALUE;
    for (Link l : links) {
      work += l.turn(true);
      busy |= !l.done();
      next = Math.min(next, l.nextNs());
    }
    if (work > 0 || !busy) {
      return busy;
    }
    for (Node n : nodes) {
      next = Math.min(next, n.hca.earliestTimerNs());
    }
    if (next != Long.MAX_VALUE) {
      clock.advance(Math.max(0, next - clock.nanoTime()));
    } else if (links.stream().anyMatch(Link::waits)) {
      standsStill();
    }
    return true;
  }

  /** Called when no event can happen without a post: allowed only while a program can post. */
  private void standsStill() {
    throw new SimFailure("nothing moves and no timer runs: " + waiting());
  }

  private String waiting() {
    StringBuilder text = new StringBuilder();
    links.stream().filter(Link::waits).forEach(l -> text.append(l.describe()).append("; "));
    return text.toString();
  }

  /** Something has been done that must happen often enough in all simulations together. */
  void did(String what) {
    done.merge(what, 1L, Long::sum);
  }

  void delivered(Request r) {
    bytes += r.length;
    messages++;
  }

  // ---- the end ----

  private void end() {
    links.forEach(Link::end);
    settle();
    for (Node n : nodes) {
      n.checkMemory();
      if (n.wire.copies() != 0) {
        throw new SimFailure("node " + n.lid + ": " + n.wire.copies() + " copies not released");
      }
    }
    nodes.forEach(n -> n.words.check());
    links.forEach(Link::close);
    step(2);
    nodes.forEach(Node::checkTimers);
    comeToRest(); // a last acknowledgement may have been sent
    if (!fabric.isQuiet()) {
      throw new SimFailure("the switch still has members of a group");
    }
    for (Node n : nodes) {
      if (n.hca.earliestTimerNs() != Long.MAX_VALUE) {
        throw new SimFailure("node " + n.lid + ": timers are left: " + Probe.timers(n.hca));
      }
      n.checkMemory();
      n.close();
    }
  }

  private void comeToRest() {
    for (int i = 0; i < SETTLE_TURNS; i++) {
      clock.advance(profile.holdNs());
      while (step(1) > 0) {
        random.nextInt(); // another order of the nodes
      }
    }
  }

  /** Lets all that is held back come and everything that follows be done. */
  private void settle() {
    comeToRest();
    int late = poll();
    if (late > 0) {
      throw new SimFailure(late + " completions after everything was flushed, seed " + seed);
    }
  }
}
