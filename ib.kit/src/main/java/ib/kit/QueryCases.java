package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MwType;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Assertions;

/** The attributes of a device, and whether the device keeps to them. */
final class QueryCases {
  private static final int COUNT = 64;

  private QueryCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("QUERY", 1, "what a device says of itself");
    s.add(
        "the device has the limits that every client needs",
        t -> {
          DeviceAttr a = t.left().attrs();
          for (Limit limit :
              List.of(
                  Limit.MAX_MR_SIZE,
                  Limit.MAX_QP,
                  Limit.MAX_QP_WR,
                  Limit.MAX_SGE,
                  Limit.MAX_CQ,
                  Limit.MAX_CQE,
                  Limit.MAX_MR,
                  Limit.MAX_PD,
                  Limit.MAX_AH,
                  Limit.MAX_PKEYS)) {
            Assertions.assertNotEquals(0, a.limit(limit), limit.label());
          }
          Assertions.assertTrue(a.limit(Limit.MAX_SRQ) > 0 || !a.has(Cap.SRQ), "SRQ");
          Assertions.assertTrue(
              a.limit(Limit.MAX_MCAST_GRP) > 0 || !a.has(Cap.MULTICAST), "groups");
        });
    s.add(
        "two devices have different GUIDs, names and GIDs",
        t -> {
          Assertions.assertNotEquals(t.left().name(), t.right().name());
          Assertions.assertNotEquals(t.left().nodeGuid(), t.right().nodeGuid());
          Assertions.assertNotEquals(t.left().gid(1, 0), t.right().gid(1, 0));
        });
    s.add(
        "port 1 is ACTIVE, with an MTU, tables and, on InfiniBand, a LID",
        t -> {
          for (IbDevice d : List.of(t.left(), t.right())) {
            PortAttr p = d.queryPort(1);
            Assertions.assertEquals(PortState.ACTIVE, p.state());
            Assertions.assertTrue(
                p.activeMtu().compareTo(p.maxMtu()) <= 0, "active and largest MTU");
            Assertions.assertTrue(p.gidTableLen() > 0 && p.pkeyTableLen() > 0, "tables");
            boolean infiniband = p.linkLayer() == LinkLayer.INFINIBAND;
            Assertions.assertEquals(infiniband, p.lid() != 0, "LID " + p.lid());
          }
        });
    answers(s);
    numbers(c.section("QUERY", 21, "numbers are unguessable (D9)", Cap.RC));
  }

  private static void answers(Catalogue.Section s) {
    s.add(
        "the caches tell what the device tells (B13)",
        t -> {
          IbDevice d = t.left();
          Assertions.assertEquals(d.queryPort(1), d.port(1));
          IbDevice service = t.bench.core().device(d.name()).orElseThrow();
          for (int i = 0; i < Math.min(8, d.port(1).gidTableLen()); i++) {
            Assertions.assertEquals(service.gid(1, i), d.gid(1, i));
          }
        });
    s.add(
        "GIDs and P_Keys are found by value; what is not there is not found",
        t -> {
          IbDevice d = t.left();
          Assertions.assertEquals(0, d.findGid(1, d.gid(1, 0)));
          Assertions.assertEquals(-1, d.findGid(1, new Gid(1, 2)));
          Assertions.assertEquals(0, d.findPkey(1, d.pkey(1, 0)));
          Assertions.assertEquals(-1, d.findPkey(1, 0x0bad));
        });
    s.add(
        "every port answers",
        t -> {
          for (int port = 1; port <= t.left().portCount(); port++) {
            Assertions.assertNotNull(t.left().queryPort(port));
            Assertions.assertNotEquals(0, t.left().pkey(port, 0));
          }
        });
    absent(s);
  }

  /** A device refuses each operation that it does not offer, by name. */
  private static void absent(Catalogue.Section s) {
    for (QpType type : List.of(QpType.UC, QpType.UD, QpType.XRC_INI)) {
      Cap cap = type == QpType.XRC_INI ? Cap.XRC : DataOptionCases.cap(type);
      refused(
          s,
          cap,
          type + " queue pairs",
          e -> e.pd.createQp(new ib.core.verbs.QpInit(type, e.sendCq, e.shape.cap())).close());
    }
    refused(s, Cap.SRQ, "SRQs", e -> LifeCases.srq(e).close());
    refused(s, Cap.MEM_WINDOW, "windows", e -> e.pd.allocWindow(MwType.TYPE_1).close());
    refused(
        s, Cap.MEM_MGT_EXTENSIONS, "fast registration", e -> e.pd.allocFastRegistration(1).close());
    refused(s, Cap.CQ_MODERATION, "moderation", e -> e.sendCq.moderate(2, 10));
    refused(s, Cap.REREG_MR, "reregister", e -> e.mr.reregister(null, Shape.ALL));
  }

  private static void refused(
      Catalogue.Section s, Cap cap, String what, java.util.function.Consumer<End> use) {
    s.end(
        what + ": IbNotSupportedException without " + cap + ", no refusal with it",
        (t, e) -> {
          if (e.device.has(cap)) {
            use.accept(e);
          } else {
            IbNotSupportedException x =
                Assertions.assertThrows(IbNotSupportedException.class, () -> use.accept(e));
            Assertions.assertTrue(String.valueOf(x.getMessage()).contains(cap.name()), x::toString);
          }
        },
        Cap.RC);
  }

  private static void numbers(Catalogue.Section s) {
    s.add(
        "queue pair numbers are neither consecutive nor soon used again",
        t -> {
          List<Long> seen = new ArrayList<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          for (int i = 0; i < COUNT; i++) {
            try (QueuePair qp = e.pd.createQp(e.init())) {
              Assertions.assertTrue(qp.qpn() > 1 && qp.qpn() < 0xffffff, "24 bits, not special");
              seen.add((long) qp.qpn());
            }
          }
          spread(seen);
        });
    regions(s, "local keys", MemoryRegion::lkey);
    regions(s, "remote keys", MemoryRegion::rkey);
    regions(s, "addresses of regions", MemoryRegion::iova);
  }

  private static void regions(
      Catalogue.Section s, String what, ToLongFunction<MemoryRegion> number) {
    s.add(
        what + " are neither consecutive nor soon used again",
        t -> {
          List<Long> seen = new ArrayList<>();
          End e = t.end(t.left(), Shape.of(QpType.RC));
          for (int i = 0; i < COUNT; i++) {
            try (MemoryRegion mr = e.pd.allocMemory(64, 8, 0)) {
              Assertions.assertNotEquals(mr.lkey(), mr.rkey());
              seen.add(number.applyAsLong(mr));
            }
          }
          spread(seen);
        });
  }

  private static void spread(List<Long> seen) {
    Assertions.assertEquals(COUNT, new HashSet<>(seen).size(), "one was used again");
    Set<Long> steps = new HashSet<>();
    for (int i = 1; i < seen.size(); i++) {
      steps.add(seen.get(i) - seen.get(i - 1));
    }
    Assertions.assertTrue(steps.size() > COUNT / 2, () -> "steps " + steps);
  }
}
