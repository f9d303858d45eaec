package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmDecoded;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.cm.CmaHeader;
import ib.core.mad.cm.Recorded;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A recording of Linux with a sender of crafted messages, run again in virtual time with a station
 * in Linux's place. The station hears what Linux has heard, when Linux has heard it. Its program
 * decides as Linux's program did: it connects, accepts, rejects and disconnects when the recording
 * shows the first message of that, with the same queue pairs. The station's names are Linux's, too,
 * so that its messages can be compared byte by byte.
 */
final class Rerun {
  private static final String LINUX = "10.77.0.2";
  private static final int PACKET_LIFE = 18; // Linux 6.1's (CM-36)
  private static final int BACKLOG = 3; // rping's
  private static final int FOREIGN_NAMES = 0x7000_0000;
  private static final int REJECTED_BY_PROGRAM = 28;
  private static final int NO_SERVICE = 8;
  private static final int TIMEOUT = 4;

  /** Stands for the frame of what is said behind the recording's end. */
  static final int AFTERWARDS = Integer.MAX_VALUE;

  /**
   * What was said after a message had been heard, and before the next one was, repetitions left
   * out.
   *
   * @param heard the frame that was heard; 0 for none
   * @param linux what Linux has said
   * @param ours what the station has said
   */
  record Slot(int heard, List<CmMessage> linux, List<CmMessage> ours) {}

  private final List<Recorded> frames;
  private final List<Slot> slots = new ArrayList<>();
  private final Map<String, List<Long>> ours = new LinkedHashMap<>(); // times by message
  private final Map<String, List<Long>> linux = new LinkedHashMap<>();
  private final Deque<Runnable> calls = new ArrayDeque<>();
  private final Map<Integer, Connection> made = new HashMap<>(); // by Linux's name
  private final Map<Integer, List<CmEvent.Ended>> ends = new TreeMap<>(); // by Linux's name
  private final List<Query.Outcome> outcomes = new ArrayList<>();
  private final Station station;
  private @Nullable Listener listener;
  private long nowNs;
  private int nextName = FOREIGN_NAMES;

  Rerun(String recording, StateTable table) {
    frames = Recorded.of(recording);
    slots.add(new Slot(0, new ArrayList<>(), new ArrayList<>()));
    station = new Station(new LinuxPort(), () -> nowNs, new Names(), this::said, table);
  }

  /** Gives the names that Linux gave, and no jitter. */
  private final class Names implements RandomGenerator {
    @Override
    public int nextInt() {
      int name = nextName;
      nextName = FOREIGN_NAMES + made.size() + 1;
      return name;
    }

    @Override
    public long nextLong() {
      return 0;
    }

    @Override
    public long nextLong(long bound) {
      return 0;
    }
  }

  /** Runs to the end of the recording, and on until no timer is left; {@return this} */
  Rerun run() {
    for (Recorded each : frames) {
      pass(each.us() * 1_000);
      if (each.source().equals(LINUX)) {
        linux(each);
      } else if (each.toQp1()) { // the port drops what has another Q_Key
        slots.add(new Slot(each.frame(), new ArrayList<>(), new ArrayList<>()));
        hear(each);
      }
    }
    slots.add(new Slot(AFTERWARDS, new ArrayList<>(), new ArrayList<>()));
    while (station.nextNs() != Connection.NO_TIMER) {
      pass(station.nextNs());
    }
    if (listener != null) {
      station.unlisten(listener);
    }
    made.values().forEach(station::close);
    while (station.nextNs() != Connection.NO_TIMER) {
      pass(station.nextNs());
    }
    return this;
  }

  private void pass(long untilNs) {
    while (station.nextNs() <= untilNs) {
      nowNs = station.nextNs();
      station.tick();
    }
    nowNs = untilNs;
  }

  // ---- what Linux has heard ----

  private void hear(Recorded frame) {
    CmDecoded decoded = frame.decoded();
    if (decoded instanceof CmMessage m && m.kind() == CmKind.REQ) {
      CmMessage first = answer(frame, m.localId(), 0);
      boolean served = first == null || first.kind() != CmKind.REJ || reason(first) != NO_SERVICE;
      listen(served, m.longValue(REQ_SERVICE_ID));
      CmMessage named = named(frame, m.localId());
      nextName = named == null ? nextName : named.localId();
    }
    station.received(frame.mad(), LinuxPort.way(frame.source()), 0);
    while (!calls.isEmpty()) {
      calls.remove().run();
    }
  }

  private void listen(boolean is, long service) {
    if (is && listener == null) {
      listener = station.listen(service, Set.of(QpType.RC), BACKLOG, c -> event -> heard(c, event));
    } else if (!is && listener != null) {
      station.unlisten(listener);
      listener = null;
    }
  }

  private static int reason(CmMessage rej) {
    return rej.value(REJ_REASON);
  }

  /** {@return Linux's first message for a peer's name behind a frame; null for none} */
  private @Nullable CmMessage answer(Recorded behind, int peerName, int skip) {
    return frames.stream()
        .filter(r -> r.frame() > behind.frame() && r.source().equals(LINUX))
        .map(Recorded::decoded)
        .filter(CmMessage.class::isInstance)
        .map(CmMessage.class::cast)
        .filter(m -> m.kind() != CmKind.REQ && hasNames(m) && m.remoteId() == peerName)
        .filter(m -> skip == 0 || m.localId() != 0)
        .findFirst()
        .orElse(null);
  }

  private @Nullable CmMessage named(Recorded behind, int peerName) {
    return answer(behind, peerName, 1);
  }

  private static boolean hasNames(CmMessage m) {
    return m.kind() != CmKind.SIDR_REQ && m.kind() != CmKind.SIDR_REP;
  }

  private void heard(Connection c, CmEvent event) {
    switch (event) {
      case CmEvent.Requested asked -> {
        made.put(c.id, c);
        String wrong = CmaHeader.refusal(asked.privateData());
        boolean here =
            wrong == null
                && CmaHeader.read(asked.privateData())
                    .destination()
                    .equals(LinuxPort.address(LINUX));
        if (!here) {
          calls.add(() -> station.close(c)); // as ib.cm.rdma does
        }
      }
      case CmEvent.Ended end -> ends.computeIfAbsent(c.id, i -> new ArrayList<>()).add(end);
      default -> {}
    }
  }

  // ---- what Linux has said ----

  private void linux(Recorded frame) {
    if (!(frame.decoded() instanceof CmMessage m)) {
      slots.getLast().linux.add(CmMessage.of(CmKind.SIDR_REP, 0)); // a class port info
      return;
    }
    if (note(m, linux, frame.us() * 1_000, slots.getLast().linux)) {
      decide(frame, m);
    }
  }

  /** Does what Linux's program has done, which this first message shows. */
  private void decide(Recorded frame, CmMessage m) {
    if (m.kind() == CmKind.REQ) {
      connect(frame, m);
    } else if (m.kind() == CmKind.SIDR_REQ) {
      ask(frame, m);
    }
    Connection c = hasNames(m) ? made.get(m.localId()) : null;
    if (c == null) {
      return;
    }
    switch (m.kind()) {
      case REP -> when(c, Input.ACCEPT, () -> station.accept(c, end(m), trimmed(m)));
      case RTU -> when(c, Input.READY, () -> station.ready(c, trimmed(m)));
      case DREQ -> {
        if (c.state == State.ESTABLISHED) {
          station.disconnect(c, trimmed(m));
        }
      }
      case REJ -> {
        boolean late = m.value(REJ_MSG) == 1 && reason(m) == REJECTED_BY_PROGRAM;
        if (late) { // librdmacm refuses a foreign ECE vendor; our program is not asked
          when(c, Input.READY, () -> station.ready(c, new byte[0]));
        } else if (reason(m) == REJECTED_BY_PROGRAM || reason(m) == TIMEOUT) {
          station.close(c);
        }
      }
      default -> {}
    }
  }

  private static void when(Connection c, Input input, Runnable call) {
    if (StateTable.IBA.row(c.state, input) != null) {
      call.run();
    }
  }

  private static byte[] trimmed(CmMessage m) {
    String hex = HexFormat.of().formatHex(m.privateData()).replaceAll("(00)+$", "");
    return HexFormat.of().parseHex(hex);
  }

  private static CmEndpoint end(CmMessage m) {
    return Requests.peer(m, Transport.RC);
  }

  private static CmTerms terms(CmMessage req) {
    return Requests.terms(req);
  }

  private void connect(Recorded frame, CmMessage m) {
    nextName = m.localId();
    AhAttr way =
        AhAttr.ofGid(
            1,
            new GlobalRoute(
                LinuxPort.gid(frame.destination()),
                m.value(REQ_FLOW_LABEL),
                1,
                m.value(REQ_HOP),
                0));
    Gid mine = LinuxPort.gid(frame.source());
    Gid theirs = LinuxPort.gid(frame.destination());
    CmPath path = new CmPath(way, mine, theirs, 0, Mtu.MTU_1024, PACKET_LIFE, 0xffff, 0);
    byte[] data = header(frame).before(new byte[0], CmKind.REQ);
    long service = m.longValue(REQ_SERVICE_ID);
    Connection c =
        station.connect(service, path, end(m), terms(m), data, made -> event -> heard(made, event));
    made.put(c.id, c);
  }

  private void ask(Recorded frame, CmMessage m) {
    nextName = m.value(SIDR_REQ_REQUEST_ID);
    AhAttr way = LinuxPort.way(frame.destination());
    CmPath path =
        new CmPath(
            way,
            LinuxPort.gid(frame.source()),
            LinuxPort.gid(frame.destination()),
            0,
            Mtu.MTU_1024,
            PACKET_LIFE,
            0xffff,
            0);
    byte[] data = header(frame).before(new byte[0], CmKind.SIDR_REQ);
    long service = m.longValue(SIDR_REQ_SERVICE_ID);
    station.datagrams().resolve(service, path, new CmTerms(7, 19, 20, 15, 0), data, outcomes::add);
  }

  private static CmaHeader header(Recorded frame) {
    String[] parts = Objects.requireNonNull(frame.fields().get("header")).split(":");
    return new CmaHeader(
        Integer.parseInt(parts[1], 16), LinuxPort.address(parts[2]), LinuxPort.address(parts[3]));
  }

  // ---- what the station says ----

  private void said(CmMessage m, AhAttr way, int pkeyIndex) {
    CmMessage copy = (CmMessage) CmMessage.read(m.mad().copy());
    note(copy, ours, nowNs, slots.getLast().ours);
  }

  /** Notes a message with its time; {@return whether it is no repetition} */
  private static boolean note(
      CmMessage m, Map<String, List<Long>> to, long atNs, List<CmMessage> first) {
    List<Long> times = to.computeIfAbsent(Difference.bytes(m), t -> new ArrayList<>());
    times.add(atNs);
    boolean repeats =
        switch (m.kind()) {
          case REQ, REP, DREQ, SIDR_REQ -> times.size() > 1;
          default -> false;
        };
    if (!repeats) {
      first.add(m);
    }
    return !repeats;
  }

  /** {@return slots, one for each message that was heard} */
  List<Slot> slots() {
    return slots;
  }

  /** {@return when the station has sent a message, by kind and name of the sender} */
  Map<String, List<Long>> times() {
    return times(ours);
  }

  /** {@return when Linux has sent a message, by kind and name of the sender} */
  Map<String, List<Long>> linuxTimes() {
    return times(linux);
  }

  private static Map<String, List<Long>> times(Map<String, List<Long>> of) {
    Map<String, List<Long>> byName = new TreeMap<>();
    of.forEach(
        (hex, times) -> {
          int attribute = Integer.parseInt(hex.substring(32, 36), 16);
          String kind = String.valueOf(CmKind.values()[attribute - CmKind.REQ.attribute()]);
          byName.computeIfAbsent(kind + " " + hex.substring(48, 56), t -> times);
        });
    return byName;
  }

  /** {@return the ends of connections by Linux's names} */
  Map<Integer, List<CmEvent.Ended>> ends() {
    return ends;
  }

  /** {@return the ends of questions} */
  List<Query.Outcome> outcomes() {
    return outcomes;
  }

  /** {@return entries that the station still has} */
  int left() {
    return station.size();
  }
}
