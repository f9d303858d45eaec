package ib.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName(
    "D9, D6, S32: memory that goes away while segments are received together: nothing wrong is"
        + " delivered, and nothing is written to what was given back")
class LargeSendGoneTest {
  private static final int ROUNDS = Integer.getInteger("ib.largesend.gone.rounds", 60);
  private static final int GRH = 40;
  private static final int HEADER = 44;
  private static final int DATA = 50_000;
  private static final int EACH = 2088;
  private static final int SENDS = 12;
  private static final int RECEIVES = 320; // 12 times 24 and more
  private static final byte GIVEN_BACK = 0x5a;

  /** The object that is destroyed. */
  enum Gone {
    MEMORY,
    SENDERS_MEMORY,
    TO_ERROR,
    TO_RESET,
    QUEUE_PAIR,
    DEVICE
  }

  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment source = arena.allocate((long) SENDS * DATA, 64);
  private final MemorySegment target = arena.allocate((long) RECEIVES * EACH, 64);
  private final RandomGenerator random =
      RandomGeneratorFactory.of("L64X128MixRandom").create(20_261_122);
  private AddressHandle ah;
  private MemoryRegion from;
  private MemoryRegion to;

  @BeforeEach
  void build() {
    ah = a.pd.createAh(AhAttr.ofLid(1, b.lid(), 0));
    for (int i = 0; i < SENDS; i++) {
      source.asSlice((long) i * DATA, DATA).fill((byte) (i + 1));
    }
    pair();
  }

  private void pair() {
    a.qp = make(a, QpCreateFlags.IPOIB_UD_LSO);
    b.qp = make(b, QpCreateFlags.COALESCED_RECEIVE);
    from = a.pd.registerMemory(source, Access.LOCAL_WRITE);
    to = b.pd.registerMemory(target, Access.LOCAL_WRITE);
  }

  @AfterEach
  void close() {
    rig.close();
    arena.close();
  }

  private static QueuePair make(Rig.Side s, int flags) {
    QpInit init = new QpInit(QpType.UD, s.sendCq, new QpCap(64, RECEIVES, 2, 1, 0));
    QueuePair qp = s.pd.createQp(init.withRecvCq(s.recvCq).withCreateFlags(flags));
    Rig.bringUp(s, qp, 0, 0, 0, 0, 0);
    return qp;
  }

  private void receives(int first, int count, MemoryRegion region) {
    for (int i = first; i < first + count; i++) {
      long at = region.iova() + (long) i * EACH;
      assertEquals(PostStatus.OK, b.qp.postReceive(i, region.lkey(), at, EACH));
    }
  }

  private static byte[] header() {
    ByteBuffer h = ByteBuffer.allocate(HEADER).putShort(0, (short) 0x0800).put(4, (byte) 0x45);
    return h.put(13, (byte) 6).put(36, (byte) 0x50).put(37, (byte) TcpCut.ACK).array();
  }

  private int send(int i) {
    a.qp.wrStart();
    a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
    a.qp.wrSendTso(MemorySegment.ofArray(header()), 0, HEADER, 2000);
    a.qp.wrSetUdAddress(ah, b.qp.qpn(), Rig.QKEY);
    a.qp.wrSetSge(from.lkey(), from.iova() + (long) i * DATA, DATA);
    return a.qp.wrComplete();
  }

  @Test
  @DisplayName("a region that is gone in the middle: LOC_PROT_ERR there, no end of the datagram")
  void middle() {
    try (Arena own = Arena.ofShared()) {
      MemorySegment lent = own.allocate(3L * EACH);
      MemoryRegion second = b.pd.registerMemory(lent, Access.LOCAL_WRITE);
      receives(0, 2, to);
      receives(2, 1, second);
      receives(3, 30, to);
      second.close();
      lent.fill(GIVEN_BACK);
      assertEquals(PostStatus.OK, send(0));
      for (int i = 0; i < 2; i++) {
        WorkCompletion wc = Rig.await(b.recvCq);
        assertEquals(WcStatus.SUCCESS, wc.status());
        assertEquals(WcFlags.MORE | WcFlags.IP_CSUM_OK, wc.wcFlags());
      }
      assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(b.recvCq).status());
      for (int i = 3; i < 33; i++) {
        assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(b.recvCq).status());
      }
      Rig.assertEmpty(b.recvCq);
      assertEquals(QpState.ERR, b.qp.state());
      assertEquals(
          WcStatus.SUCCESS, Rig.await(a.sendCq).status(), "the sender does not learn of it");
      untouched(lent);
    }
  }

  @Test
  @DisplayName("the sender's memory is gone when they arrive: void, without IP_CSUM_OK; it goes on")
  void senders() {
    receives(0, 60, to);
    Arena own = Arena.ofShared();
    from = a.pd.registerMemory(own.allocate(DATA), Access.LOCAL_WRITE);
    rig.wire.sees = packet -> own.close();
    assertEquals(PostStatus.OK, send(0));
    rig.wire.sees = null;
    WorkCompletion wc = Rig.await(b.recvCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(0, wc.wcFlags());
    assertEquals(0, wc.byteLen());
    assertEquals(WcStatus.LOC_PROT_ERR, Rig.await(a.sendCq).status());
    a.qp.modify(new QpAttr().curState(QpState.SQE).state(QpState.RTS));
    from = a.pd.registerMemory(source, Access.LOCAL_WRITE);
    assertEquals(PostStatus.OK, send(1));
    List<byte[]> whole = datagrams(true);
    assertEquals(1, whole.size());
    assertEquals(2, whole.getFirst()[HEADER]);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("any moment: what ends is whole and right, what was given back stays as it is")
  void anyMoment(Gone gone) {
    int rounds = gone == Gone.DEVICE ? 1 : ROUNDS;
    for (int round = 0; round < rounds; round++) {
      receives(0, RECEIVES, to);
      long delay = random.nextLong(250_000);
      CompletableFuture<Void> away = CompletableFuture.runAsync(() -> takeAway(gone, delay));
      int posted = 0;
      while (posted < SENDS && send(posted) == PostStatus.OK) {
        posted++;
      }
      away.join();
      if (gone == Gone.DEVICE) {
        untouched(target);
        return;
      }
      a.qp.close();
      b.qp.close(); // a fence: what is under way ends
      boolean memory = gone == Gone.MEMORY;
      int whole = datagrams(!memory).size();
      assertTrue(whole <= posted, whole + " of " + posted);
      if (memory) {
        untouched(target);
      }
      if (gone == Gone.SENDERS_MEMORY) {
        untouched(source);
        build(); // its bytes anew
      } else {
        pair();
      }
    }
  }

  private void takeAway(Gone gone, long delay) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < delay) {
      Thread.onSpinWait();
    }
    switch (gone) {
      case MEMORY -> {
        to.close();
        target.fill(GIVEN_BACK);
      }
      case SENDERS_MEMORY -> {
        from.close();
        source.fill(GIVEN_BACK);
      }
      case TO_ERROR -> b.qp.modify(new QpAttr().state(QpState.ERR));
      case TO_RESET -> b.qp.modify(new QpAttr().state(QpState.RESET));
      case QUEUE_PAIR -> b.qp.close();
      case DEVICE -> {
        b.hca.shutdown();
        target.fill(GIVEN_BACK);
      }
    }
  }

  private static void untouched(MemorySegment memory) {
    for (long i = 0; i < memory.byteSize(); i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, i) != GIVEN_BACK) {
        throw new AssertionError("written at " + i);
      }
    }
  }

  /** All that have an end; each is as it was sent. */
  private List<byte[]> datagrams(boolean readable) {
    List<byte[]> all = new ArrayList<>();
    ByteArrayOutputStream one = new ByteArrayOutputStream();
    WorkCompletion[] next = {new WorkCompletion()};
    boolean failed = false;
    while (b.recvCq.poll(next, 1) == 1) {
      WorkCompletion wc = next[0];
      boolean good = wc.status() == WcStatus.SUCCESS;
      assertFalse(failed && good, "after an error everything is flushed");
      failed |= !good;
      if (!good || (wc.wcFlags() & WcFlags.IP_CSUM_OK) == 0) {
        one.reset(); // void
        continue;
      }
      int skip = one.size() == 0 ? GRH : 0;
      byte[] bytes = new byte[wc.byteLen() - skip];
      long at = wc.wrId() * EACH + skip;
      MemorySegment.copy(target, ValueLayout.JAVA_BYTE, at, bytes, 0, bytes.length);
      one.writeBytes(bytes);
      if ((wc.wcFlags() & WcFlags.MORE) == 0) {
        all.add(one.toByteArray());
        one.reset();
      }
    }
    all.forEach(datagram -> right(datagram, readable));
    return all;
  }

  private static void right(byte[] datagram, boolean readable) {
    assertEquals(HEADER + DATA, datagram.length);
    if (readable) {
      byte[] expected = ByteBuffer.allocate(HEADER + DATA).put(header()).array();
      java.util.Arrays.fill(expected, HEADER, expected.length, datagram[HEADER]);
      assertArrayEquals(expected, datagram);
      assertTrue(datagram[HEADER] > 0 && datagram[HEADER] <= SENDS, "as it was sent");
    }
  }
}
