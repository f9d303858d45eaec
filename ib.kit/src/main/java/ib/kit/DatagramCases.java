package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Cap;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Datagrams: addresses, headers, keys, what is dropped, multicast (IBA 9.8.3, 10.2.5, 10.5). */
final class DatagramCases {

  /** Spoils an otherwise good datagram. */
  @FunctionalInterface
  private interface Spoil {
    SendWr apply(Pair p, SendWr wr);
  }

  private DatagramCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("UD", 1, "datagrams", Cap.UD).lossless();
    dropped(s, "with a wrong Q_Key", (p, wr) -> wr.remoteQkey(End.QKEY + 1));
    dropped(s, "to a queue pair that does not exist", (p, wr) -> wr.remoteQpn(p.b.qp.qpn() ^ 1));
    dropped(s, "to a queue pair of another type", (p, wr) -> wr.remoteQpn(WellKnown.QPN_GSI));
    s.pair(
        "a Q_Key with the top bit set means the queue pair's own (IBA 10.2.5)",
        (t, p) -> {
          p.b.receive(1, 0, 64);
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t).remoteQkey(0x80000000));
          Await.success(p.b.recvCq, 1);
          Await.success(p.a.sendCq, 1);
        });
    s.pair(
        "no receive: dropped, the next one arrives",
        (t, p) -> {
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t));
          Await.success(p.a.sendCq, 1);
          p.ping(t);
        });
    s.pair(
        "longer than the port's MTU: LOC_LEN_ERR and SQE, and RTS again",
        (t, p) -> {
          int most = p.a.device.queryPort(1).activeMtu().bytes();
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, most + 1), t));
          Await.status(p.a.sendCq, 1, WcStatus.LOC_LEN_ERR);
          Assertions.assertEquals(QpState.SQE, p.a.qp.state());
          p.a.qp.modify(new QpAttr().state(QpState.RTS));
          p.ping(t);
        });
    s.pair(
        "as long as the port's MTU arrives",
        (t, p) ->
            new Transfer(t, p, WrOpcode.SEND, p.a.device.queryPort(1).activeMtu().bytes()).run());
    s.pair(
        "a receive without room for the 40 bytes and the data: LOC_LEN_ERR and ERR",
        (t, p) -> {
          p.b.receive(1, 0, Transfer.GRH + 7);
          p.b.receive(2, 0, 64);
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t));
          Await.success(p.a.sendCq, 1);
          Await.status(p.b.recvCq, 1, WcStatus.LOC_LEN_ERR);
          Await.status(p.b.recvCq, 2, WcStatus.WR_FLUSH_ERR);
          Assertions.assertEquals(QpState.ERR, p.b.qp.state());
        });
    addresses(s);
    multicast(c.section("UD", 21, "datagrams: multicast", Cap.UD, Cap.MULTICAST).lossless());
  }

  private static void dropped(Catalogue.Section s, String what, Spoil spoil) {
    s.pair(
        what + ": dropped in silence, the next one arrives",
        (t, p) -> {
          p.b.receive(0x7001, 0, 64);
          p.a.send(spoil.apply(p, p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t)));
          Await.success(p.a.sendCq, 1);
          p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 77);
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 2, 0, 8), t));
          Await.success(p.b.recvCq, 0x7001);
          Assertions.assertEquals(
              77, p.b.mr.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, Transfer.GRH));
          Await.success(p.a.sendCq, 2);
          Await.empty(p.b.recvCq, "dropped in silence");
        });
  }

  private static void addresses(Catalogue.Section s) {
    s.pair(
        "createAhFromCompletion answers the sender",
        (t, p) -> {
          p.b.receive(1, 0, 64);
          p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t));
          WorkCompletion wc = Await.success(p.b.recvCq, 1);
          p.a.receive(2, 0, 64);
          try (AddressHandle ah = p.b.pd.createAhFromCompletion(wc, p.b.mr.segment(), 1)) {
            SendWr wr = p.b.wr(WrOpcode.SEND, 3, 0, 8).ah(ah).remoteQpn(wc.srcQp());
            p.b.send(wr.remoteQkey(End.QKEY));
            Assertions.assertEquals(p.b.qp.qpn(), Await.success(p.a.recvCq, 2).srcQp());
          }
          Await.success(p.a.sendCq, 1);
          Await.success(p.b.sendCq, 3);
        });
    s.pair(
        "a global route is in the first 40 bytes (IBA 8.3)",
        (t, p) -> {
          assumeInfiniBand(p);
          Gid from = p.a.device.gid(1, 0);
          Gid to = p.b.device.gid(1, 0);
          AhAttr local = t.bench.path(p.a.device, p.b.device);
          AhAttr global = new AhAttr(local.dlid(), local.sl(), 0, 0, 1, GlobalRoute.to(to, 0));
          p.b.receive(1, 0, 64);
          SendWr wr = p.a.wr(WrOpcode.SEND, 1, 0, 8).ah(p.a.ah(global));
          p.a.send(wr.remoteQpn(p.b.qp.qpn()).remoteQkey(End.QKEY));
          WorkCompletion wc = Await.success(p.b.recvCq, 1);
          Assertions.assertTrue((wc.wcFlags() & WcFlags.GRH) != 0, "the flag");
          var be = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
          var memory = p.b.mr.segment();
          Assertions.assertEquals(from, new Gid(memory.get(be, 8), memory.get(be, 16)), "source");
          Assertions.assertEquals(to, new Gid(memory.get(be, 24), memory.get(be, 32)), "target");
          Await.success(p.a.sendCq, 1);
        });
    s.pair(
        "a changed address handle sends to its new place (S3)",
        (t, p) -> {
          AddressHandle ah = t.later(p.a.pd.createAh(p.a.self));
          ah.modify(t.bench.path(p.a.device, p.b.device));
          Assertions.assertEquals(t.bench.path(p.a.device, p.b.device), ah.query());
          p.b.receive(1, 0, 64);
          SendWr wr = p.a.wr(WrOpcode.SEND, 1, 0, 8).ah(ah);
          p.a.send(wr.remoteQpn(p.b.qp.qpn()).remoteQkey(End.QKEY));
          Await.success(p.b.recvCq, 1);
          Await.success(p.a.sendCq, 1);
        });
    s.end(
        "an address with a port that does not exist is refused, sleepable or not",
        (t, e) -> {
          AhAttr bad = AhAttr.ofLid(e.device.portCount() + 1, 1, 0);
          Assertions.assertThrows(IbInvalidException.class, () -> e.pd.createAh(bad).close());
          Assertions.assertThrows(
              IbInvalidException.class, () -> e.pd.createAhSleepable(bad).close());
        });
  }

  private static void multicast(Catalogue.Section s) {
    s.add(
        "every member gets one copy, the sender's own device too, until it leaves",
        t -> members(t));
    s.pair(
        "attached twice is refused, detached twice too",
        (t, p) -> {
          attach(p.a, t);
          Assertions.assertThrows(IbExistsException.class, () -> attach(p.a, t));
          detach(p.a, t);
          Assertions.assertThrows(IbInvalidException.class, () -> detach(p.a, t));
        });
    s.pair(
        "a GID that is no group is refused",
        (t, p) -> {
          Gid gid = p.a.device.gid(1, 0);
          Assertions.assertThrows(
              IbInvalidException.class, () -> p.a.qp.attachMulticast(gid, t.bench.group().dlid()));
        });
    s.pair(
        "a connected queue pair is refused",
        (t, p) -> Assertions.assertThrows(IbInvalidException.class, () -> attach(p.a, t)),
        Cap.RC);
  }

  private static void members(Trial t) {
    Shape shape = Shape.of(QpType.UD);
    Pair p = t.pair(shape);
    End here = t.end(t.left(), shape);
    Pair.up(here, here, t.bench);
    for (End e : List.of(here, p.b)) {
      attach(e, t);
      e.receive(1, 0, 64);
      e.receive(2, 0, 64);
    }
    AhAttr to = t.bench.group();
    cast(p.a, to);
    for (End e : List.of(here, p.b)) {
      Assertions.assertEquals(p.a.qp.qpn(), Await.success(e.recvCq, 1).srcQp());
    }
    detach(p.b, t);
    cast(p.a, to);
    Await.success(here.recvCq, 2);
    p.b.receive(3, 0, 64);
    p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 8, 0, 8), t));
    Await.success(p.a.sendCq, 8);
    Await.success(p.b.recvCq, 2); // the second receive is still there: one copy came, not two
    Await.empty(p.b.recvCq, "who has left hears nothing");
    detach(here, t);
  }

  private static void cast(End from, AhAttr to) {
    SendWr wr = from.wr(WrOpcode.SEND, 9, 0, 8).ah(from.ah(to));
    from.send(wr.remoteQpn(WellKnown.QPN_MULTICAST).remoteQkey(End.QKEY));
    Await.success(from.sendCq, 9);
  }

  private static void attach(End e, Trial t) {
    e.qp.attachMulticast(group(t), t.bench.group().dlid());
  }

  private static void detach(End e, Trial t) {
    e.qp.detachMulticast(group(t), t.bench.group().dlid());
  }

  private static void assumeInfiniBand(Pair p) {
    LinkLayer link = p.a.device.queryPort(1).linkLayer();
    Assumptions.assumeTrue(link == LinkLayer.INFINIBAND, "there is an IP header instead");
  }

  private static Gid group(Trial t) {
    return Objects.requireNonNull(t.bench.group().grh(), "a group is a GID").dgid();
  }
}
