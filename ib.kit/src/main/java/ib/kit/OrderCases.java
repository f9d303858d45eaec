package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** Many messages: order, sequence numbers that wrap, both ways at once, many pollers (S18, S19). */
final class OrderCases {
  private OrderCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("DATA", 451, "data: order");
    for (int psn : new int[] {0, 0x7fffff, 0xfffffe, 0xffffff}) {
      s.add(
          "RC 300 messages of 2 packets in order from PSN 0x%06x".formatted(psn),
          t -> stream(t, Shape.of(QpType.RC).psn(psn), 1100, 300),
          Cap.RC);
    }
    s.add(
        "RC 100 messages of 30 packets in order",
        t -> stream(t, Shape.of(QpType.RC), 30_000, 100),
        Cap.RC);
    s.pair("RC both ways at once, 300 messages each", OrderCases::bothWays, Cap.RC);
    s.pair("RC a read after a write brings what was written", OrderCases::readAfterWrite, Cap.RC);
    s.add(
        "RC four queue pairs on one CQ, two pollers: each completion once (S18), in order in one"
            + " call (S19)",
        t -> pollers(t),
        Cap.RC);
    s.pair("the lazy form of polling tells the same as poll", OrderCases::lazy, Cap.RC);
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      if (type != QpType.RC) {
        s.lossless();
        s.add(
            type + " 300 messages in order from PSN 0xfffffe",
            t -> stream(t, Shape.of(type).psn(0xfffffe), 900, 300),
            DataOptionCases.cap(type));
      }
      s.add(
          type + " two ends on the same device",
          t -> {
            Pair p = t.pair(t.left(), t.left(), Shape.of(type));
            for (WrOpcode op : DataOptionCases.ops(type)) {
              new Transfer(t, p, op, 777).run();
            }
          },
          DataOptionCases.cap(type));
    }
  }

  /** Sends numbered messages, with eight receives ahead; each must arrive in its place. */
  private static void stream(Trial t, Shape shape, int size, int count) {
    Pair p = t.pair(shape);
    int grh = p.datagram() ? Transfer.GRH : 0;
    int ahead = 8;
    int slot = 32 << 10;
    for (int i = 0; i < ahead; i++) {
      p.b.receive(i, (i % 4) * (long) slot, size + grh);
    }
    for (int i = 0; i < count; i++) {
      p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, i);
      p.a.mr.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, size - 8, ~i);
      p.a.send(p.aim(p.a.wr(WrOpcode.SEND, i, 0, size), t));
      Await.success(p.b.recvCq, i);
      Await.success(p.a.sendCq, i);
      long at = (i % 4) * (long) slot + grh;
      Assertions.assertEquals(i, p.b.mr.segment().get(ValueLayout.JAVA_LONG, at), "first bytes");
      long last = p.b.mr.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, at + size - 8);
      Assertions.assertEquals(~i, (int) last, "last bytes");
      p.b.receive(i + ahead, ((i + ahead) % 4) * (long) slot, size + grh);
    }
    p.b.error();
    Await.next(p.b.recvCq, ahead)
        .forEach(wc -> Assertions.assertEquals(WcStatus.WR_FLUSH_ERR, wc.status()));
  }

  private static void bothWays(Trial t, Pair p) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread other =
        Thread.ofPlatform()
            .name("ib.kit other way")
            .start(
                () -> {
                  try {
                    way(p.b, p.a);
                  } catch (RuntimeException | AssertionError e) {
                    thrown.set(e);
                  }
                });
    way(p.a, p.b);
    Await.end(other);
    Assertions.assertNull(thrown.get());
  }

  /** The receiver's queue is used by this way only, so both ways keep apart. */
  private static void way(End from, End to) {
    for (int i = 0; i < 300; i++) {
      to.receive(i, 4096, 512);
      from.send(from.wr(WrOpcode.SEND, i, 0, 512));
      Await.success(to.recvCq, i);
      Await.success(from.sendCq, i);
    }
  }

  private static void readAfterWrite(Trial t, Pair p) {
    for (int i = 1; i <= 100; i++) {
      p.a.mr.segment().set(ValueLayout.JAVA_INT, 0, i);
      SendWr read = p.a.wr(WrOpcode.RDMA_READ, 2, 64, 4, p.b, 128);
      p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 4, p.b, 128).next(read));
      Await.success(p.a.sendCq, 1);
      Await.success(p.a.sendCq, 2);
      Assertions.assertEquals(i, p.a.mr.segment().get(ValueLayout.JAVA_INT, 64));
    }
  }

  private static void pollers(Trial t) {
    Account account = new Account();
    Shape shape = Shape.of(QpType.RC);
    CompletionQueue cq = new Probe().cq(t.left());
    End first = t.end(t.left(), shape, cq, null);
    List<Pair> pairs = new ArrayList<>();
    pairs.add(new Pair(first, t.end(t.right(), shape)).connect(t.bench));
    for (int i = 0; i < 3; i++) {
      End next = first.with(t.later(first.pd.createQp(first.init())));
      pairs.add(new Pair(next, t.end(t.right(), shape)).connect(t.bench));
    }
    int count = t.bench.lossless() ? 4_000 : 400;
    List<Thread> pollers = new ArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger unordered = new AtomicInteger();
    for (int i = 0; i < 2; i++) {
      WorkCompletion[] batch = Account.batch(9);
      Runnable polls =
          () -> {
            while (!over.get()) {
              int n = account.take(cq, batch);
              unordered.addAndGet(unordered(batch, n));
              if (n == 0) {
                Thread.yield(); // to who posts, and to who completes
              }
            }
          };
      pollers.add(Thread.ofPlatform().name("ib.kit poller " + i).start(polls));
    }
    try {
      for (int i = 0; i < count; i++) {
        Pair p = pairs.get(i % 4);
        SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE, 0, 0, 8, p.b, 0);
        LongToIntFunction post = id -> p.a.qp.postSend(wr.wrId(id));
        Await.until("a place", () -> account.open() < 200 && account.post(post) == PostStatus.OK);
      }
      Await.until("all completions", () -> account.taken() >= count);
    } finally {
      over.set(true);
      pollers.forEach(Await::end);
    }
    account.settle(cq).assertExact();
    Assertions.assertEquals(count, account.succeeded());
    Assertions.assertEquals(0, unordered.get(), "pairs of one call in the wrong order");
  }

  /** How many pairs of completions of one queue pair are the wrong way round in a call's result. */
  private static int unordered(WorkCompletion[] batch, int n) {
    int pairs = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        pairs += batch[j].qpn() == batch[i].qpn() && batch[j].wrId() > batch[i].wrId() ? 1 : 0;
      }
    }
    return pairs;
  }

  private static void lazy(Trial t, Pair p) {
    CompletionQueue cq = p.b.recvCq;
    for (int i = 0; i < 3; i++) {
      p.b.receive(i, 0, 64);
      SendWr wr = p.a.wr(WrOpcode.SEND_WITH_IMM, i, 0, 10 + i).immData(70 + i);
      p.a.send(wr);
      Await.success(p.a.sendCq, i);
    }
    Await.until("three completions", () -> cq.startPoll());
    for (int i = 0; i < 3; i++) {
      WorkCompletion wc = new WorkCompletion();
      cq.readCurrent(wc);
      Assertions.assertEquals(i, cq.wrId());
      Assertions.assertEquals(WcStatus.SUCCESS, cq.status());
      Assertions.assertEquals(10 + i, cq.byteLen());
      Assertions.assertEquals(70 + i, cq.immData());
      Assertions.assertEquals(p.b.qp.qpn(), cq.qpn());
      Assertions.assertEquals(cq.wrId(), wc.wrId());
      Assertions.assertEquals(cq.opcode(), wc.opcode());
      Assertions.assertEquals(cq.wcFlags(), wc.wcFlags());
      Assertions.assertEquals(cq.immData(), wc.immData());
      Assertions.assertEquals(cq.byteLen(), wc.byteLen());
      boolean more = cq.nextPoll();
      Assertions.assertEquals(i < 2, more);
    }
    cq.endPoll();
    Await.empty(cq, "read in place, and given back");
  }
}
