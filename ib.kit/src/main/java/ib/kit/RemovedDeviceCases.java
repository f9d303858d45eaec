package ib.kit;

import ib.core.client.ClientRegistration;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/**
 * The peers that survive the removal of a device, and the handles that it poisons (S27-S41, CC-20).
 */
final class RemovedDeviceCases {
  private RemovedDeviceCases() {}

  static void add(Catalogue c) {
    survivors(c.section("HOT", 71, "hot removal: survivors", Cap.RC));
    poisoned(c.section("HOT", 81, "hot removal: poisoned handles", Cap.RC));
  }

  private static void survivors(Catalogue.Section s) {
    for (WrOpcode op : DataCases.RC_OPS) {
      s.add(
          "a survivor's "
              + DataCases.words(op)
              + " ends with RETRY_EXC_ERR and what follows is flushed",
          t -> survivor(t, op));
    }
  }

  private static void survivor(Trial t, WrOpcode op) {
    Shape shape = Shape.of(QpType.RC).retries(5, 7); // the ping before it may lose some
    End a = t.end(t.left(), shape);
    List<Pair> pairs = new ArrayList<>();
    ClientRegistration r =
        t.client(
            "peer",
            device -> pairs.add(new Pair(a, new End(device, shape, t.bench)).connect(t.bench)),
            device -> pairs.getFirst().b.close());
    Pair p = pairs.getFirst();
    p.ping(t);
    t.bench.unplug(t.name(1));
    for (int i = 0; i < 10; i++) {
      a.send(a.wr(op, i, 0, 700, p.b, 0).flags(i % 2 == 0 ? ib.core.verbs.SendFlags.SIGNALED : 0));
    }
    Await.status(a.sendCq, 0, WcStatus.RETRY_EXC_ERR);
    for (int i = 1; i < 10; i++) {
      Await.status(a.sendCq, i, WcStatus.WR_FLUSH_ERR);
    }
    Await.empty(a.sendCq, "each once");
    Assertions.assertEquals(QpState.ERR, a.qp.state());
    r.unregister();
    t.bench.plug(t.name(1));
  }

  /**
   * A case that leaves everything behind on the second device, takes that away, and looks at the
   * handles.
   */
  private static void left(Catalogue.Section s, String name, Consumer<End> look) {
    s.add(name, t -> left(t, look));
  }

  private static void left(Trial t, Consumer<End> look) {
    List<End> ends = new ArrayList<>();
    ClientRegistration r =
        t.client(
            "leaver",
            device -> {
              ends.add(new End(device, Shape.of(QpType.RC), t.bench));
              ends.getLast().ah(ends.getLast().self);
            },
            device -> {});
    t.bench.unplug(t.name(1));
    var report = t.bench.core().lastRemoval(t.name(1)).orElseThrow();
    Assertions.assertEquals(6, report.leaks().size(), () -> "PD, 2 CQs, MR, QP, AH: " + report);
    report.leaks().forEach(l -> Assertions.assertFalse(l.stack().isEmpty(), "creation stack"));
    look.accept(ends.getFirst());
    r.unregister();
    t.bench.plug(t.name(1));
  }

  private static void refused(Executable... calls) {
    for (int i = 0; i < calls.length; i++) {
      Assertions.assertThrows(IbDisassociatedException.class, calls[i], "call " + i);
    }
  }

  private static void gone(int... statuses) {
    for (int i = 0; i < statuses.length; i++) {
      Assertions.assertEquals(PostStatus.GONE, statuses[i], "call " + i);
    }
  }

  private static void poisoned(Catalogue.Section s) {
    left(
        s,
        "a handle on a device that is gone makes nothing (CC-20)",
        e ->
            refused(
                e.device::allocPd,
                () -> e.device.createCq(new CqInit(1)),
                () -> e.device.queryPort(1)));
    left(
        s,
        "a PD of a device that is gone makes nothing",
        e ->
            refused(
                () -> e.pd.allocMemory(8, 8, 0),
                () -> e.pd.registerMemory(e.mr.segment(), 0),
                () -> e.pd.createAh(e.self),
                () -> e.pd.createQp(e.init())));
    left(
        s,
        "a QP of a device that is gone: Disassociated and GONE",
        e -> {
          refused(e.qp::query, e.qp::drain, () -> e.qp.modify(new QpAttr().state(QpState.ERR)));
          var wr = e.wr(WrOpcode.SEND, 1, 0, 8);
          gone(
              e.qp.postSend(wr),
              Form.BUILDER.post(e.qp, wr),
              e.qp.postReceive(1, e.lkey(), e.addr(), 8),
              e.qp.postReceive(new RecvWr(1).addSge(e.lkey(), e.addr(), 8)));
        });
    left(
        s,
        "a CQ of a device that is gone: GONE",
        e -> {
          WorkCompletion[] one = Account.batch(1);
          gone(e.sendCq.poll(one, 1), e.sendCq.requestNotify(NotifyFlags.NEXT_COMP));
          Assertions.assertFalse(e.sendCq.startPoll());
        });
    poisonedMore(s);
  }

  private static void poisonedMore(Catalogue.Section s) {
    left(
        s,
        "an AH of a device that is gone: Disassociated",
        e -> {
          AddressHandle ah = e.ah(e.self);
          refused(() -> ah.modify(e.self));
        });
    left(s, "closing what is gone does nothing", End::close);
    left(
        s,
        "memory of a device that is gone is freed",
        e -> Assertions.assertFalse(e.mr.segment().scope().isAlive(), "the arena is closed"));
    s.add(
        "a managed queue of a removed device calls no callback any more",
        t -> {
          List<CompletionQueue> queues = new ArrayList<>();
          ClientRegistration r =
              t.client(
                  "managed",
                  device -> queues.add(device.allocCq(8, 0, ib.core.verbs.PollContext.DIRECT)),
                  device -> {});
          t.bench.unplug(t.name(1));
          gone(queues.getFirst().processDirect(1), queues.getFirst().poll(Account.batch(1), 1));
          r.unregister();
          t.bench.plug(t.name(1));
        });
  }
}
