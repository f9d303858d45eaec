package ib.engine;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Two whole devices under the explorer: requester, wire, responder, acknowledgement, completer. */
public final class EngineScenarios {
  private EngineScenarios() {}

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Two devices, one connection, virtual time that stands still: nothing may need a timer. */
  abstract static class Pair implements Scenario {
    final Rig rig;
    final MemoryRegion target;
    int accepted;
    int refused;

    Pair() {
      this(HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
    }

    Pair(HcaConfig a, HcaConfig b) {
      rig = new Rig(new VirtualClock(), false, 16, 4096, a, b);
      rig.connect(QpType.RC, 4, 14, 7, 7);
      target = rig.b().pd.allocMemory(64, 64, Rig.ALL_ACCESS);
    }

    /** Writes a number to its place in the target. */
    void write(Rig.Side from, MemoryRegion to, int id) {
      SendWr wr =
          new SendWr(1)
              .wrId(id)
              .opcode(WrOpcode.RDMA_WRITE)
              .flags(SendFlags.SIGNALED)
              .rkey(to.rkey())
              .remoteAddr(to.iova() + 8L * id)
              .addSge(from.mr.lkey(), from.mr.iova() + 8L * id, 8);
      from.mr.segment().set(ValueLayout.JAVA_LONG, 8L * id, id);
      int status = from.qp.postSend(wr);
      if (status == PostStatus.OK) {
        accepted++;
      } else {
        refused++;
      }
    }

    void post(int id) {
      write(rig.a(), target, id);
    }

    static int successes(CompletionQueue cq) {
      int n = 0;
      WorkCompletion[] wc = {new WorkCompletion()};
      while (cq.poll(wc, 1) > 0) {
        require(wc[0].status() == WcStatus.SUCCESS, "failed: " + wc[0].status());
        n++;
      }
      return n;
    }

    void arrived(MemorySegment memory, int id) {
      require(memory.get(ValueLayout.JAVA_LONG, 8L * id) == id, id + " did not arrive");
    }
  }

  /** Two threads post to one queue pair. */
  public static class TwoPosters extends Pair {
    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("b", false, () -> post(2));
    }

    @Override
    public void check() {
      require(successes(rig.a().sendCq) == 2, "a completion is missing");
      arrived(target.segment(), 1);
      arrived(target.segment(), 2);
    }
  }

  /** One thread posts by the builder, the other a list: both claim slots of one ring. */
  public static final class BuilderAndList extends TwoPosters {
    @Override
    void post(int id) {
      if (id != 1) {
        super.post(id);
        return;
      }
      MemoryRegion from = rig.a().mr;
      QueuePair qp = rig.a().qp;
      from.segment().set(ValueLayout.JAVA_LONG, 8L * id, id);
      qp.wrStart();
      qp.wrId(id).wrFlags(SendFlags.SIGNALED);
      qp.wrRdmaWrite(target.rkey(), target.iova() + 8L * id);
      qp.wrSetSge(from.lkey(), from.iova() + 8L * id, 8);
      require(qp.wrComplete() == PostStatus.OK, "refused");
    }
  }

  /** Two posters, while the control path wants the queue pair and gives up at once (A16). */
  public static final class GivesUp extends TwoPosters {
    @Override
    public void setUp() {
      super.setUp();
      Interleavings.spawn("control", false, () -> Probe.passesBy(rig.a().qp));
    }
  }

  /** Both ends post: each thread runs into the other's queue pair. */
  public static class BothWays extends Pair {
    private final MemoryRegion back = rig.a().pd.allocMemory(64, 64, Rig.ALL_ACCESS);

    /** With plenty of packets. */
    public BothWays() {}

    BothWays(HcaConfig config) {
      super(config, config);
    }

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("b", false, () -> write(rig.b(), back, 2));
    }

    @Override
    public void check() {
      require(successes(rig.a().sendCq) == 1, "a's completion is missing");
      require(successes(rig.b().sendCq) == 1, "b's completion is missing");
      arrived(target.segment(), 1);
      arrived(back.segment(), 2);
    }
  }

  /** One request packet and one response packet only: who runs out waits for the other thread. */
  public static final class Starvation extends BothWays {
    /** With one packet in each direction. */
    public Starvation() {
      super(HcaConfig.of(0x10, 0x11).withPace(1 << 20, 1 << 18, 1, 1, 128));
    }

    @Override
    public void setUp() {
      Interleavings.spawn(
          "a",
          false,
          () -> {
            post(1);
            post(3);
          });
      Interleavings.spawn("b", false, () -> write(rig.b(), target(), 2));
    }

    private MemoryRegion target() {
      return rig.a().mr;
    }

    @Override
    public void check() {
      require(successes(rig.a().sendCq) == 2, "a's completion is missing");
      require(successes(rig.b().sendCq) == 1, "b's completion is missing");
      arrived(target.segment(), 1);
      arrived(target.segment(), 3);
    }
  }

  /**
   * A key is invalidated by a posted request of one queue pair while another copies through it:
   * when the invalidation has completed the memory is the user's.
   */
  abstract static class Invalidated extends Pair {
    final MemorySegment memory = Arena.ofAuto().allocate(64, 64);
    final Rig.Side a = rig.a();
    final Rig.Side b = rig.b();
    final QueuePair writer = a.qp;
    int key;

    Invalidated() {
      this(HcaConfig.of(0x10, 0x11).withPace(4096, 1 << 18, 16, 8, 128));
    }

    private Invalidated(HcaConfig config) {
      super(config, config);
      rig.connect(QpType.RC, 4, 14, 7, 7); // who invalidates
    }

    void open(Runnable post) {
      b.qp.wrStart();
      b.qp.wrFlags(SendFlags.SIGNALED);
      post.run();
      require(b.qp.wrComplete() == PostStatus.OK, "not posted");
      taken(b.sendCq);
    }

    /** Waits for a completion as a user does. */
    void taken(CompletionQueue cq) {
      WorkCompletion[] wc = {new WorkCompletion()};
      while (cq.poll(wc, 1) == 0) {
        rig.b().hca.step();
        Thread.onSpinWait();
      }
      require(wc[0].status() == WcStatus.SUCCESS, "" + wc[0]);
    }

    abstract void invalidate();

    /** The writer's packets are packets, whatever the medium. */
    void packets() {
      rig.wire.loses(p -> false);
    }

    @Override
    public void setUp() {
      Interleavings.spawn(
          "writer",
          false,
          () -> {
            SendWr wr = new SendWr(1).wrId(1).opcode(WrOpcode.RDMA_WRITE).rkey(key);
            wr.remoteAddr(0).addSge(a.mr.lkey(), a.mr.iova(), 8);
            writer.postSend(wr.flags(SendFlags.SIGNALED));
          });
      Interleavings.spawn(
          "user",
          false,
          () -> {
            invalidate();
            memory.fill((byte) 0x55);
          });
    }

    @Override
    public void check() {
      rig.settle();
      long word = memory.get(ValueLayout.JAVA_LONG, 0);
      require(word == 0x5555555555555555L, "I8: written after the invalidation has completed");
    }
  }

  /** LOCAL_INV of a fast registration (IBA 10.6.5). */
  public static class LocalInvalidate extends Invalidated {
    /** Registers it. */
    public LocalInvalidate() {
      MemoryRegion fast = b.pd.allocFastRegistration(1);
      fast.map(memory);
      key = fast.rkey();
      open(() -> b.qp.wrRegMr(fast, key, Rig.ALL_ACCESS | Access.ZERO_BASED));
    }

    @Override
    void invalidate() {
      open(() -> b.qp.wrLocalInv(key));
    }
  }

  /** A local invalidate while a packet is being copied. */
  public static final class LocalInvalidatePacket extends LocalInvalidate {
    /** Registers it. */
    public LocalInvalidatePacket() {
      packets();
    }
  }

  /** An invalidate by the peer of the other connection: SEND_WITH_INV. */
  public static final class RemoteInvalidate extends LocalInvalidate {
    @Override
    void invalidate() {
      b.qp.postReceive(5, b.mr.lkey(), b.mr.iova(), 8);
      a.qp.wrStart();
      a.qp.wrSendInv(key);
      require(a.qp.wrComplete() == PostStatus.OK, "not posted");
      taken(b.recvCq);
    }
  }

  /** A type 1 window is unbound. */
  public static final class Unbind extends Invalidated {
    private final MemoryRegion region;
    private final MemoryWindow window = b.pd.allocWindow(MwType.TYPE_1);

    /** Binds it. */
    public Unbind() {
      region = b.pd.registerMemory(memory, Rig.ALL_ACCESS | Access.ZERO_BASED);
      key = window.rkey() + 1;
      open(() -> b.qp.wrBindMw(window, key, region, 0, 64, Access.REMOTE_WRITE));
    }

    @Override
    void invalidate() {
      open(() -> b.qp.wrBindMw(window, key + 1, null, 0, 0, 0));
    }
  }

  /** The queue pair is destroyed while another thread posts: flushed, done or refused, once. */
  public static final class Destroy extends Pair {
    private final QueuePair qp = rig.a().qp;

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("control", false, qp::close);
    }

    @Override
    public void check() {
      int n = rig.a().sendCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
      require(accepted + refused == 1, "not posted");
      require(n == accepted, "F-15: accepted " + accepted + ", completed " + n);
    }
  }

  /** The queue pair is reset while another thread posts: no slot of two lives is one slot. */
  public static final class Reset extends Pair {
    private final QueuePair qp = rig.a().qp;
    private final Probe.Life before = Probe.life(qp);

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("control", false, () -> qp.modify(new QpAttr().state(QpState.RESET)));
    }

    @Override
    public void check() {
      require(accepted + refused == 1, "not posted");
      require(Probe.life(qp).follows(before), "S6: a slot was claimed in a ring that had gone");
    }
  }

  /** a region is deregistered while it is written to; then the memory is the user's. */
  public static final class Deregister extends Pair {
    private final MemorySegment memory = Arena.ofAuto().allocate(64, 64);
    private final MemoryRegion mr = rig.b().pd.registerMemory(memory, Rig.ALL_ACCESS);

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> write(rig.a(), mr, 1));
      Interleavings.spawn(
          "user",
          false,
          () -> {
            mr.close();
            memory.fill((byte) 0x55);
          });
    }

    @Override
    public void check() {
      long word = memory.get(ValueLayout.JAVA_LONG, 8);
      require(word == 0x5555555555555555L, "R-08: written after deregistration");
      int n = rig.a().sendCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
      require(n == 1, "a completion is missing");
    }
  }
}
