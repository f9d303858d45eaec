package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.*;
import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.disconnects;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Cases.whole;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;
import static ib.cm.internal.machine.Lab.TERMS;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.internal.machine.Lab.Heard;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The corner cases of listeners, names and data, as those of {@link CornerCasesTest}. */
@Tag("finding")
class ListenerCasesTest {
  private static final int MAX_PORTS = 255;

  private static final int STALE = 10;

  private static void closedListener(Lab lab) {
    lab.b.listen(128);
    lab.b.decides = c -> {};
    for (int i = 0; i < 100; i++) {
      lab.in(lab.upTo(300), lab.a, () -> lab.a.connect(lab.b));
    }
    lab.in(
        20_000 * MS,
        lab.b,
        () -> {
          lab.must(lab.b.heard.size() == 100, lab.b.heard.size() + " wait");
          lab.b.station.unlisten(lab.b.listener);
          lab.must(lab.b.sent("REJ 28") == 100, lab.b.sent("REJ 28") + " times REJ 28");
          lab.in(1, lab.a, () -> lab.a.connect(lab.b));
        });
    lab.then(
        () -> {
          for (Heard h : lab.a.heard.values()) {
            lab.must(h.reason() == 28 || h.reason() == 8, "" + h.events);
          }
          lab.must(List.copyOf(lab.a.heard.values()).getLast().reason() == 8, "the last");
        });
  }

  @Test
  @DisplayName("K8, CM-46: a listener is closed while 100 requests wait: 100 times REJ 28, then 8")
  void pending() {
    right(ListenerCasesTest::closedListener);
    caught(
        ListenerCasesTest::closedListener,
        StateTable.IBA.with(State.MRA_REQ_SENT, Input.CLOSE, State.GONE, END_CLOSED, FREE));
  }

  /** As many ports as a device may have listen; some go, and one of those that stay connects. */
  private static void everyPort(Lab lab) {
    List<Side> ports = new ArrayList<>();
    for (int lid = 3; lid < 3 + MAX_PORTS; lid++) {
      ports.add(lab.side(lid).listen(4));
    }
    Side last = ports.getLast();
    disconnects(lab, lab.a);
    for (Side to : List.of(ports.getFirst(), last, ports.get(lab.random.nextInt(MAX_PORTS)))) {
      lab.a.connect(to);
    }
    for (int i = 0; i < 20; i++) {
      Side goes = ports.get(lab.random.nextInt(MAX_PORTS - 1));
      lab.in(lab.upTo(3_000), goes, goes::remove);
    }
    lab.then(() -> lab.must(last.heard.size() >= 1, "the last port"));
    lab.then(
        () -> last.heard.forEach((c, h) -> lab.must(h.end() == CmEnd.DISCONNECTED, "" + h.events)));
  }

  @Test
  @DisplayName("K16, RG-14: 255 ports listen, some go, and the last one is connected")
  void ports() {
    right(ListenerCasesTest::everyPort);
    caught(
        ListenerCasesTest::everyPort,
        StateTable.IBA.with(State.ESTABLISHED, Input.REMOVE, State.GONE, FREE));
  }

  private static void full(Lab lab) {
    lab.b.listen(1);
    lab.b.decides = c -> lab.in(lab.upTo(300), lab.b, () -> lab.b.accept(c, NONE));
    for (int i = 0; i < 3; i++) {
      lab.a.connect(lab.b);
    }
    disconnects(lab, lab.a);
    lab.then(() -> lab.must(lab.b.sent("REJ 8") + lab.b.sent("REJ 28") == 0, "a REJ"));
    whole(lab, 3, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K9, RD-6: with a full backlog there is silence, and a repetition finds room")
  void fullBacklog() {
    right(ListenerCasesTest::full);
    caught(
        ListenerCasesTest::full,
        StateTable.IBA.with(State.REQ_SENT, Input.AGAIN, State.REQ_SENT, TIMER));
  }

  private static void restarted(Lab lab) {
    Side a = lab.a;
    lab.b.listen(4);
    int qpn = a.queuePair();
    List<Connection> made = new ArrayList<>();
    a.does =
        (c, event) -> {
          boolean stale = event instanceof CmEvent.Ended e && e.reason() == STALE;
          if (stale && made.size() < 20) {
            lab.in(100 * MS, a, () -> made.add(again(lab, qpn)));
          }
        };
    a.connect(lab.b, TERMS, CmEndpoint.of(qpn, 1), NONE);
    lab.in(
        8_000 * MS,
        a,
        () -> {
          a.restart();
          made.add(again(lab, qpn));
        });
    lab.then(
        () -> {
          lab.must(a.heard(made.getLast()).isUp(), "never again: " + made.size());
          lab.must(lab.b.sent("REJ 10") > 0, "the first one was not stale");
          CmEnd end = lab.b.heard.values().iterator().next().end();
          lab.must(end == CmEnd.DISCONNECTED, "the old one ends as " + end);
        });
  }

  private static Connection again(Lab lab, int qpn) {
    return lab.a.connect(lab.b, TERMS, CmEndpoint.of(lab.a.queuePair(qpn), 2), NONE);
  }

  @Test
  @DisplayName("K10, RG-17, CM-40: a host is started again and uses its queue pair number again")
  void restart() {
    right(ListenerCasesTest::restarted);
    caught(
        ListenerCasesTest::restarted,
        StateTable.IBA.with(State.ESTABLISHED, Input.CLOSE, State.ESTABLISHED));
  }

  private static void sameName(Lab lab) {
    lab.b.listen(4);
    List<CmMessage> reqs = new ArrayList<>();
    lab.fate =
        (from, m) -> {
          if (m.kind() == CmKind.REQ && reqs.isEmpty()) {
            reqs.add((CmMessage) CmMessage.read(m.mad().copy()));
          }
          return lab.chance();
        };
    boolean late = lab.percent(50);
    disconnects(lab, lab.a);
    lab.b.does =
        (c, event) -> {
          if (event instanceof CmEvent.Ended && lab.b.heard.size() == 1) { // timewait is 67 ms
            long ms = late ? 70 : 0;
            lab.deliver(reqs.getFirst().mad(), 1, 2, ms * MS + lab.upTo(60));
          }
        };
    lab.a.connect(lab.b);
    lab.then(
        () -> {
          int requests = lab.b.heard.size();
          lab.must(requests == (late ? 2 : 1), requests + " requests, late " + late);
          lab.must(late || lab.b.sent("REJ 10") > 0, "no REJ 10");
        });
  }

  @Test
  @DisplayName(
      "K11, CM-35, CM-39, CM-42, M24: a name again in timewait: REJ 10; after it: a new request")
  void timewait() {
    right(ListenerCasesTest::sameName);
    caught(
        ListenerCasesTest::sameName,
        StateTable.IBA.with(
            State.ESTABLISHED, Input.DREQ, State.GONE, SAY_DREP, END_DISCONNECTED, FREE));
  }

  private static void gid(Lab lab) {
    lab.b.listen(8);
    disconnects(lab, lab.a);
    for (int i = 0; i < 3; i++) {
      lab.in(lab.upTo(400), lab.a, () -> lab.a.connect(lab.b));
    }
    lab.in(lab.upTo(400), lab.b, () -> lab.b.hasGid = false);
    lab.then(
        () -> {
          for (Heard h : lab.a.heard.values()) {
            boolean refused = h.end() == CmEnd.REJECTED && h.reason() == 12;
            lab.must(refused || h.isUp() && h.end() == CmEnd.DISCONNECTED, "" + h.events);
          }
        });
  }

  @Test
  @DisplayName("K15: the GID goes: a request for it gets REJ 12, a live connection lives on")
  void gidGoes() {
    right(ListenerCasesTest::gid);
    caught(
        ListenerCasesTest::gid, StateTable.IBA.with(State.REQ_SENT, Input.REJ, State.GONE, FREE));
  }

  private static byte[] bytes(Lab lab, CmKind kind) {
    int most = kind.privateBytes();
    byte[] data = new byte[lab.percent(30) ? most : lab.random.nextInt(most + 1)];
    lab.random.nextBytes(data);
    return data;
  }

  private static void exact(Lab lab, CmKind kind, byte[] said, byte[] heard) {
    byte[] padded = Arrays.copyOf(said, kind.privateBytes());
    lab.must(Arrays.equals(padded, heard), kind + " of " + said.length + " bytes");
  }

  private static void data(Lab lab) {
    byte[] req = bytes(lab, CmKind.REQ);
    byte[] rep = bytes(lab, CmKind.REP);
    byte[] rej = bytes(lab, CmKind.REJ);
    byte[] dreq = bytes(lab, CmKind.DREQ);
    lab.a.rtu = bytes(lab, CmKind.RTU);
    lab.b.listen(4);
    boolean rejects = lab.percent(30);
    lab.b.decides =
        c ->
            lab.in(
                0,
                lab.b,
                () -> {
                  if (rejects) {
                    lab.b.reject(c, rej);
                  } else {
                    lab.b.accept(c, rep);
                  }
                });
    lab.a.does =
        (c, event) -> {
          if (event instanceof CmEvent.Replied r) {
            exact(lab, CmKind.REP, rep, r.privateData());
          } else if (event instanceof CmEvent.Ended e && e.reason() == 28) {
            exact(lab, CmKind.REJ, rej, e.privateData());
          } else if (event instanceof CmEvent.Established) {
            lab.in(9_000 * MS, lab.a, () -> lab.a.station.disconnect(c, dreq));
          }
        };
    lab.b.does =
        (c, event) -> {
          if (event instanceof CmEvent.Requested r) {
            exact(lab, CmKind.REQ, req, r.privateData());
          } else if (event instanceof CmEvent.Established up) {
            exact(lab, CmKind.RTU, lab.a.rtu, up.privateData());
          } else if (event instanceof CmEvent.Ended e && e.how() == CmEnd.DISCONNECTED) {
            exact(lab, CmKind.DREQ, dreq, e.privateData());
          }
        };
    lab.a.connect(lab.b, TERMS, CmEndpoint.of(lab.a.queuePair(), 1), req);
  }

  @Test
  @DisplayName("K20, CM-11: private data of each length arrive with zeros behind them")
  void privateData() {
    right(ListenerCasesTest::data);
  }

  private static void names(Lab lab) {
    int[] edges = {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, -2};
    RandomGenerator edge = () -> lab.random.nextLong();
    for (Side each : List.of(lab.a, lab.b)) {
      each.names =
          new RandomGenerator() {
            @Override
            public int nextInt() {
              return lab.percent(70)
                  ? edges[lab.random.nextInt(edges.length)]
                  : lab.random.nextInt();
            }

            @Override
            public long nextLong() {
              return edge.nextLong();
            }
          };
    }
    lab.b.listen(16);
    disconnects(lab, lab.a);
    for (int i = 0; i < 6; i++) {
      int psn = lab.percent(50) ? 0 : 0xffffff;
      CmEndpoint mine = CmEndpoint.of(lab.a.queuePair(), psn);
      Connection c = lab.a.connect(lab.b, TERMS, mine, NONE);
      lab.must(c.id != 0, "the name 0");
    }
    lab.b.does =
        (c, event) -> {
          if (event instanceof CmEvent.Requested r) {
            int psn = r.peer().startingPsn();
            lab.must(psn == 0 || psn == 0xffffff, "PSN " + psn);
          }
        };
    lab.then(
        () -> {
          Set<Integer> ids = new HashSet<>();
          lab.a.heard.keySet().forEach(c -> ids.add(c.id));
          lab.must(ids.size() == 6, "names " + ids);
        });
    whole(lab, 6, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K21, RG-6, CM-4: names near 2^32, never 0 and never twice; PSN 0 and 2^24 - 1")
  void edges() {
    right(ListenerCasesTest::names);
  }
}
