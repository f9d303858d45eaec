package ib.cm.internal.machine;

import ib.cm.CmConnection;
import ib.cm.CmDatagramRequest;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.Mad;
import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Two stations in virtual time and a net between them that loses, repeats and reorders messages;
 * their users connect, accept, reject, disconnect and give up at random times, and ask for datagram
 * services. Everything follows from the seed.
 */
final class SimulatedNet {
  static final long SERVICE = 0x0200_0000_0000_0014L;
  private static final long DATAGRAMS = SERVICE + 1;
  static final long MS = 1_000_000L;
  private static final int LOSS_PERCENT = 20;
  private static final int REPEAT_PERCENT = 15;
  private static final long MAX_DELAY_MS = 50; // shorter than timewait, which is 67 ms
  private static final int MAX_EVENTS = 200_000;
  private static final int REPETITIONS = 15;

  /** How often a port says what no answer comes to. */
  static final int MAX_ASKED = 1 + REPETITIONS;

  private static final int PLACES = 4;

  /** The longest time that a program takes for what it does at once. */
  static final long THINKS_NS = 20 * MS;

  private static final Set<QpType> ACCEPTED = Set.of(QpType.RC, QpType.UC, QpType.XRC_TGT);
  private static final CmTerms TERMS = new CmTerms(7, 14, 15, REPETITIONS, 0);

  /** Something that happens at a time, in the order of the numbers when at the same time. */
  private record Later(long atNs, long number, Runnable what) implements Comparable<Later> {
    @Override
    public int compareTo(Later o) {
      return atNs != o.atNs ? Long.compare(atNs, o.atNs) : Long.compare(number, o.number);
    }
  }

  /** What a connection's owner has heard. */
  private static final class Heard {
    final int lid;
    int ups;
    int ends;
    int releases;
    boolean accepted;
    CmEnd end = CmEnd.CLOSED;

    Heard(int lid) {
      this.lid = lid;
    }
  }

  private final Random random;
  private final PriorityQueue<Later> later = new PriorityQueue<>();
  private final Station[] stations = new Station[3]; // by LID
  private final Map<Connection, Heard> heard = new IdentityHashMap<>();
  private final Map<Query, Question> questions = new IdentityHashMap<>();
  private final Set<Long> established = new HashSet<>(); // requests whose passive side was
  private final List<String> wrong = new ArrayList<>();

  /** Questions that the program of a port has, and has not answered; by LID of the port. */
  private final List<Set<Integer>> open = List.of(Set.of(), new HashSet<>(), new HashSet<>());

  private final Asks asks = new Asks();

  /** What a station does not say, and what it does not hear, because of a planted bug. */
  Predicate<CmMessage> mute = m -> false;

  Predicate<CmMessage> deaf = m -> false;
  private long nowNs;
  private long number;
  private int qpns = 100;

  SimulatedNet(long seed, StateTable table) {
    random = new Random(seed);
    for (int lid = 1; lid <= 2; lid++) {
      int own = lid;
      stations[lid] =
          new Station(
              new SimulatedPort(lid),
              () -> nowNs,
              random,
              (message, way, pkeyIndex) -> {
                if (!mute.test(message)) {
                  asks.said(message, own, nowNs);
                  carry(own, message.mad(), way);
                }
              },
              table);
      stations[lid].listen(SERVICE, ACCEPTED, PLACES, c -> ears(own, c));
      stations[lid].datagrams().serve(DATAGRAMS, PLACES, asked -> asked(own, asked));
    }
  }

  private void in(long ns, Runnable what) {
    later.add(new Later(nowNs + ns, number++, what));
  }

  private long upTo(long ms) {
    return random.nextLong(ms * MS + 1);
  }

  private boolean percent(int of) {
    return random.nextInt(100) < of;
  }

  private void carry(int from, Mad mad, AhAttr way) {
    Mad bytes = mad.copy();
    AhAttr answer = AhAttr.ofLid(1, from, 0);
    for (int copies = percent(REPEAT_PERCENT) ? 2 : 1; copies > 0; copies--) {
      if (!percent(LOSS_PERCENT)) {
        in(upTo(percent(50) ? 1 : MAX_DELAY_MS), () -> arrives(bytes.copy(), way.dlid(), answer));
      }
    }
  }

  private void arrives(Mad mad, int lid, AhAttr answer) {
    CmMessage m = (CmMessage) CmMessage.read(mad);
    asks.arrives(m, lid, nowNs);
    if (m.kind() == CmKind.SIDR_REQ) {
      int id = m.value(CmField.SIDR_REQ_REQUEST_ID);
      if (open.get(lid).contains(id)) {
        asks.excuse(3 - lid, id, CmKind.SIDR_REQ, nowNs, "it waits already");
      } else if (open.get(lid).size() == PLACES) {
        asks.excuse(3 - lid, id, CmKind.SIDR_REQ, nowNs, "the backlog is full");
      }
    }
    if (!deaf.test(m)) {
      stations[lid].received(mad, answer, 0);
    }
  }

  /** Connections in both directions, begun within a second. */
  void connect(int count) {
    for (int i = 0; i < count; i++) {
      int from = 1 + random.nextInt(2);
      in(upTo(1_000), () -> connect(from, 3 - from));
    }
  }

  private static CmPath path(int from, int to) {
    Gid local = Gid.linkLocal(0x1000L + from);
    Gid remote = Gid.linkLocal(0x1000L + to);
    return new CmPath(AhAttr.ofLid(1, to, 0), local, remote, from, Mtu.MTU_1024, 12, 0xffff, 0);
  }

  private void connect(int from, int to) {
    QpType any = Transport.values()[random.nextInt(Transport.values().length)].active();
    Connection c =
        stations[from].connect(
            SERVICE, path(from, to), end(any), TERMS, new byte[3], made -> ears(from, made));
    if (percent(10)) {
      in(upTo(400), () -> stations[from].close(c));
    }
  }

  /** Questions for datagram services in both directions, begun within a second. */
  void ask(int count) {
    for (int i = 0; i < count; i++) {
      int from = 1 + random.nextInt(2);
      int qpn = 1 + i;
      in(upTo(1_000), () -> ask(from, 3 - from, qpn));
    }
  }

  /** Asks with the number of the queue pair that the answer has to name. */
  private void ask(int from, int to, int qpn) {
    Question question = new Question(from, qpn, new ArrayList<>());
    byte[] data = ByteBuffer.allocate(Integer.BYTES).putInt(qpn).array();
    Datagrams datagrams = stations[from].datagrams();
    Query[] made = new Query[1];
    Consumer<Query.Outcome> ears =
        outcome -> {
          question.outcomes().add(outcome);
          int id = made[0].id;
          if (open.get(to).contains(id)) {
            asks.excuse(from, id, CmKind.SIDR_REQ, nowNs, "it is thought about");
          }
          asks.over(from, id);
        };
    Query query = datagrams.resolve(DATAGRAMS, path(from, to), TERMS, data, ears);
    made[0] = query;
    questions.put(query, question);
    if (percent(10)) {
      in(upTo(400), () -> datagrams.end(query, CmEnd.CLOSED));
    }
  }

  private boolean asked(int lid, Asked asked) {
    int id = asked.key.requestId();
    if (percent(5)) {
      asks.excuse(3 - lid, id, CmKind.SIDR_REQ, nowNs, "the mailbox is full");
      return false;
    }
    open.get(lid).add(id);
    int qpn = ByteBuffer.wrap(asked.privateData()).getInt();
    Datagrams datagrams = stations[lid].datagrams();
    byte[] none = new byte[0];
    in(
        upTo(percent(10) ? 300 : 20), // no MRA asks for more than 16 * 134 ms in all
        () -> {
          open.get(lid).remove(id);
          if (percent(10)) {
            datagrams.reject(asked, CmDatagramRequest.REJECTED, none);
          } else {
            datagrams.accept(asked, qpn, 0x1234, none);
          }
        });
    return true;
  }

  private CmEndpoint end(QpType type) {
    return CmEndpoint.of(qpns++, random.nextInt(1 << 24)).type(type);
  }

  private Consumer<CmEvent> ears(int lid, Connection c) {
    Heard h = new Heard(lid);
    heard.put(c, h);
    return event -> hear(lid, c, h, event);
  }

  private void hear(int lid, Connection c, Heard h, CmEvent event) {
    Station s = stations[lid];
    switch (event) {
      case CmEvent.Requested r -> {
        if (established.contains((long) c.remoteId)) {
          wrong.add(c + " is a second connection of a request");
        }
        in(upTo(percent(10) ? 5_000 : percent(50) ? 1 : 20), () -> answer(s, c, h));
      }
      case CmEvent.Replied r ->
          in(upTo(percent(50) ? 1 : 20), () -> when(c, Input.READY, () -> s.ready(c, new byte[0])));
      case CmEvent.Established e -> {
        h.ups++;
        if (!c.active) {
          established.add((long) c.remoteId);
        }
        // one side disconnects for certain, the other one sometimes
        if (c.active == ((c.active ? c.id : c.remoteId) & 1) > 0 || percent(30)) {
          byte[] data = new byte[1];
          in(
              upTo(percent(50) ? 1 : 100),
              () -> when(c, Input.DISCONNECT, () -> s.disconnect(c, data)));
        }
      }
      case CmEvent.Ended e -> {
        h.ends++;
        h.end = e.how();
        asks.over(lid, c.id);
        if (h.releases > 0) {
          wrong.add(c + " ends after its release");
        }
      }
      case CmEvent.Released r -> h.releases++;
    }
  }

  private void answer(Station s, Connection c, Heard h) {
    if (percent(10)) {
      byte[] none = new byte[0];
      when(c, Input.REJECT, () -> s.reject(c, CmConnection.CONSUMER_REJECT, none, none));
      return;
    }
    when(
        c,
        Input.ACCEPT,
        () -> {
          h.accepted = true;
          s.accept(c, end(c.transport.passive()), new byte[5]);
        });
    if (percent(10)) {
      in(upTo(100), () -> s.close(c));
    }
  }

  /** Calls what the state of the connection allows; an owner asks because of a race. */
  private static void when(Connection c, Input input, Runnable call) {
    if (StateTable.IBA.row(c.state, input) != null) {
      call.run();
    }
  }

  /** Runs to the end; {@return what is wrong} */
  List<String> run() {
    for (int i = 0; i < MAX_EVENTS; i++) {
      Later next = later.peek();
      long at = next == null ? Long.MAX_VALUE : next.atNs;
      long timer = Math.min(stations[1].nextNs(), stations[2].nextNs());
      if (at == Long.MAX_VALUE && timer == Long.MAX_VALUE) {
        judge();
        return wrong;
      }
      nowNs = Math.min(at, timer);
      if (timer <= at || next == null) {
        stations[1].tick();
        stations[2].tick();
      } else {
        later.remove();
        next.what.run();
      }
    }
    wrong.add("it does not end");
    return wrong;
  }

  private void judge() {
    heard.forEach(
        (c, h) -> {
          if (h.ends != 1 || h.releases != 1 || h.ups > 1) {
            wrong.add(c + ": up " + h.ups + ", ends " + h.ends + ", releases " + h.releases);
          }
          boolean lost = h.end == CmEnd.TIMED_OUT || h.end == CmEnd.UNREACHABLE;
          if (lost && (h.ups > 0 || h.accepted)) {
            CmKind asked = h.end == CmEnd.TIMED_OUT ? CmKind.DREQ : CmKind.REP;
            String why = asks.judge(h.lid, c.id, asked, MAX_ASKED);
            if (!why.isEmpty()) {
              wrong.add(c + " ends as " + h.end + " " + why);
            }
          }
        });
    questions.forEach(
        (query, question) -> {
          String found = question.wrong(query, asks);
          if (!found.isEmpty()) {
            wrong.add(found);
          }
        });
    for (int lid = 1; lid <= 2; lid++) {
      if (stations[lid].size() != 2) { // the listeners
        wrong.add("station " + lid + " has " + stations[lid].size() + " entries left");
      }
    }
  }

  /** {@return how many questions were answered with a queue pair} */
  long answers() {
    return questions.values().stream()
        .flatMap(q -> q.outcomes().stream())
        .map(Query.Outcome::answer)
        .filter(rep -> rep != null && rep.value(CmField.SIDR_REP_STATUS) == 0)
        .count();
  }

  /** {@return how many connections were established on either side} */
  long ups() {
    return heard.values().stream().filter(h -> h.ups > 0).count();
  }
}
