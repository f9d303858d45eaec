package samples.nvmet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.kit.fabric.IbFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import samples.nvmet.HostQueue.Response;

/** What a host does that keeps to the rules, Linux among them. */
@IbFabric
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TargetTest {
  private static final int READ = 2;
  private static final int WRITE = 1;

  private static MemorySegment random(MemorySegment s, long seed) {
    byte[] bytes = new byte[(int) s.byteSize()];
    new SplittableRandom(seed).nextBytes(bytes);
    return s.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Test
  void nv7TheDiscoveryServiceNamesTheSubsystem(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.connection(0)) {
      Lab.assertSuccess(Lab.join(admin, 0xffff, Subsystem.DISCOVERY));
      Lab.enable(admin);
      Sqe log = Sqe.of(2).u32(Capsule.CDW10, 0x70 | 511 << 16); // 2048 bytes
      Lab.assertSuccess(admin.run(admin.keyed(log, 0, 2048)));
      assertEquals(1, Wire.u64(admin.segment(), 8));
      assertEquals(Lab.NQN, Wire.text(admin.segment(), 1024 + 256, 256));
      String address = Wire.text(admin.segment(), 1024 + 512, 256).strip();
      assertEquals(lab.at().getAddress().getHostAddress(), address);
      assertEquals(lab.at().getPort() + "", Wire.text(admin.segment(), 1024 + 32, 32).strip());
    }
  }

  @Test
  void nv7IdentifySaysWhatThereIs(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin()) {
      assertEquals(1, Lab.controller(admin));
      MemorySegment page = admin.segment();
      assertEquals(Lab.NQN, Wire.text(page, 768, 256));
      assertEquals(1, Wire.u32(page, 516));
      Lab.assertSuccess(admin.run(admin.keyed(Sqe.identify(2, 0), 0, 4096)));
      assertEquals(1, Wire.u32(page, 0));
      assertEquals(0, Wire.u32(page, 4));
      Lab.assertSuccess(admin.run(admin.keyed(Sqe.identify(0, 1), 0, 4096)));
      assertEquals(Lab.BYTES / 512, Wire.u64(page, 0));
      assertEquals(9, Wire.u8(page, 130));
      page.fill((byte) 0xff);
      Lab.assertSuccess(admin.run(admin.keyed(Sqe.identify(5, 1), 0, 4096))); // Linux 7.3 asks
      assertEquals(-1, page.asSlice(0, 4096).mismatch(MemorySegment.ofArray(new byte[4096])));
      Response queues = admin.run(Sqe.of(9).u32(Capsule.CDW10, 7).u32(Capsule.CDW11, 0x30003));
      assertEquals(0x10001, queues.result(), "two of four, 0's based");
    }
  }

  @Test
  void nv5BlocksGoToTheStoreAndComeBack(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      int half = Lab.DATA / 2;
      MemorySegment sent = random(io.segment().asSlice(0, half), 1);
      int size = 1 << 20;
      for (int at = 0; at < half; at += size) {
        Sqe write = Sqe.blocks(WRITE, at / 512 + 3, size / 512);
        Lab.assertSuccess(io.run(io.keyed(write, at, size)));
      }
      assertEquals(-1, sent.mismatch(lab.store.memory().asSlice(3 * 512, half)));
      for (int at = 0; at < half; at += size) {
        Sqe read = Sqe.blocks(READ, at / 512 + 3, size / 512);
        Lab.assertSuccess(io.run(io.keyed(read, half + at, size)));
      }
      assertEquals(-1, sent.mismatch(io.segment().asSlice(half, half)));
    }
  }

  /** T17: the host that the lane has at Linux's target. */
  @Test
  void t17TheInitiatorWritesReadsAndCompares(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b)) {
      try (Initiator host = lab.initiator()) {
        String done = host.exercise(1_000, 17);
        String blocks = Lab.BYTES / 512 + " blocks of 512 bytes: 1000 pages read, 96 written, ";
        assertTrue(done.endsWith(blocks + "16 keys invalidated, all equal"), done);
      }
      Lab.until(() -> lab.target.connections() == 0);
    }
  }

  /** The initiator sees a disk that has changed what it was given. */
  @Test
  void t17TheInitiatorFindsAWrongByte(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        Initiator host = lab.initiator()) {
      byte[] disk = new byte[Initiator.SPAN];
      host.fill(disk);
      host.read(disk, 20, new SplittableRandom(18));
      for (int page = 0; page < Initiator.SPAN; page += 4096) {
        lab.store.memory().set(ValueLayout.JAVA_BYTE, page + 4095, (byte) 1);
      }
      String why =
          assertThrows(
                  IllegalStateException.class, () -> host.read(disk, 1, new SplittableRandom(18)))
              .getMessage();
      assertTrue(why.endsWith("is not what was written"), why);
    }
  }

  @Test
  void nv4DataInTheCapsuleIsWritten(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(2, Lab.controller(admin))) {
      byte[] block = new byte[4096];
      new SplittableRandom(2).nextBytes(block);
      Lab.assertSuccess(io.run(Sqe.blocks(WRITE, 8, 8).inCapsule(0, 4096), block));
      assertEquals(
          -1, MemorySegment.ofArray(block).mismatch(lab.store.memory().asSlice(4096, 4096)));
    }
  }

  /** Connect in a capsule, as Linux sends it on I/O queues. */
  @Test
  void nv7ConnectMayBringItsDataInTheCapsule(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.connection(1)) {
      byte[] data = Lab.connectData((int) Lab.controller(admin), Lab.NQN);
      Lab.assertSuccess(io.run(Sqe.connect(1, io.depth).inCapsule(0, 1024), data));
      Lab.assertSuccess(io.run(Sqe.of(0).u32(Capsule.NSID, 1))); // Flush
    }
  }

  @Test
  void nv6AKeyIsRegisteredBeforeEachCommandAndInvalidatedByItsResponse(
      IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin));
        Arena arena = Arena.ofShared()) {
      MemoryRegion fast = io.registers(3);
      MemorySegment memory = random(arena.allocate(12_288, 4096), 3);
      int key = fast.rkey();
      for (int i = 0; i < 300; i++) { // the low byte of the key comes round
        boolean write = i % 2 == 0;
        fast.map(memory.asSlice(0, 4096), memory.asSlice(8192, 4096), memory.asSlice(4096, 4096));
        Sqe command = Sqe.blocks(write ? WRITE : READ, 24L * (i / 2 % 100), 24);
        Response response = io.await(io.submitRegistered(command, fast, 12_288, key));
        Lab.assertSuccess(response);
        assertEquals(key, response.invalidated());
        key = MemoryRegion.nextKey(key);
      }
      assertEquals(-1, memory.asSlice(8192, 4096).mismatch(lab.store.memory().asSlice(4096, 4096)));
    }
  }

  /** The key of a command that has its response. */
  @Test
  void nv6AnInvalidatedKeyOpensNothing(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin));
        Arena arena = Arena.ofShared()) {
      MemoryRegion fast = io.registers(1);
      fast.map(arena.allocate(4096, 4096));
      int key = fast.rkey();
      Response response = io.await(io.submitRegistered(Sqe.blocks(READ, 0, 8), fast, 4096, key));
      Lab.assertSuccess(response);
      assertEquals(key, response.invalidated());
      io.submit(Sqe.blocks(READ, 0, 8).keyed(fast.iova(), 4096, key));
      io.awaitEnd();
      Lab.until(() -> lab.target.counters().containsKey("completed with REM_ACCESS_ERR"));
    }
  }

  /** As many commands as the queue has, each of which the target must read: more than READs. */
  @Test
  void rg13AWholeQueueOfWritesIsReadThoughTheHostServesFewReadsAtOnce(
      IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      int size = 16_384;
      random(io.segment(), 4);
      for (int round = 0; round < 4; round++) {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 127; i++) {
          Sqe write = Sqe.blocks(WRITE, (long) i * size / 512, size / 512);
          ids.add(io.submit(io.keyed(write, (long) i * size, size)));
        }
        ids.forEach(id -> Lab.assertSuccess(io.await(id)));
      }
      long all = 127L * size;
      assertEquals(-1, io.segment().asSlice(0, all).mismatch(lab.store.memory().asSlice(0, all)));
    }
  }

  @Test
  @IbFabric(faults = "loss rate=0.05", seed = 11)
  void lostPacketsAreSentAgain(IbCore core, IbDevice a, IbDevice b) throws Exception {
    nv5BlocksGoToTheStoreAndComeBack(core, a, b);
  }

  /** The host is slow with receives for responses: the target is told to wait, and goes on. */
  @Test
  void responsesWaitForTheReceivesOfTheHost(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.connection(new HostQueue.Sizes(1, 128, Lab.DATA, 1))) {
      Lab.assertSuccess(Lab.join(io, (int) Lab.controller(admin), Lab.NQN));
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        ids.add(io.submit(io.keyed(Sqe.blocks(READ, i, 8), i * 4096L, 4096)));
      }
      ids.forEach(id -> Lab.assertSuccess(io.await(id)));
    }
  }

  @Test
  void theHeadOfTheQueueComesRound(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin()) {
      int before = admin.run(Sqe.of(0x18)).head();
      for (int i = 1; i <= 70; i++) {
        assertEquals((before + i) % 32, admin.run(Sqe.of(0x18)).head());
      }
    }
  }

  @Test
  void fiveRequestsForEventsAreOneTooManyAndAResetForgetsThem(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin()) {
      for (int round = 0; round < 20; round++) { // 80 that are forgotten, of 32 tasks
        for (int i = 0; i < 4; i++) {
          admin.submit(Sqe.of(0x0c));
        }
        Lab.assertStatus(Status.ASYNC_EVENT_LIMIT, admin.run(Sqe.of(0x0c)));
        assertEquals(0, admin.unread(), "the four have no answer");
        Lab.assertSuccess(admin.run(Sqe.fabrics(0).u32(Capsule.PROPERTY, 0x14).u64(48, 0x460000)));
        Lab.enable(admin);
      }
    }
  }

  @Test
  void nv8AHostThatIsSilentForLongerThanItSaidIsGone(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      for (int i = 0; i < 5; i++) {
        lab.clock.addAndGet(TimeUnit.SECONDS.toNanos(5));
        lab.target.look();
        Lab.assertSuccess((i % 2 == 0 ? admin : io).run(i % 2 == 0 ? Sqe.of(0x18) : flush()));
      }
      lab.clock.addAndGet(TimeUnit.SECONDS.toNanos(6) + 1);
      lab.target.look();
      admin.awaitEnd();
      io.awaitEnd();
      Lab.until(() -> lab.target.connections() == 0 && lab.target.controllers().isEmpty());
      assertEquals(1, lab.target.counters().get("keep alive timer expired"));
    }
  }

  private static Sqe flush() {
    return Sqe.of(0).u32(Capsule.NSID, 1);
  }

  @Test
  void nv8AHostConnectsAgainAtOnce(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b)) {
      long last = 0;
      for (int i = 0; i < 10; i++) {
        try (HostQueue admin = lab.admin();
            HostQueue io = lab.io(1, Lab.controller(admin))) {
          Lab.assertSuccess(io.run(flush()));
          long now = Lab.controller(admin);
          assertNotEquals(last, now);
          last = now;
        }
      }
      Lab.until(() -> lab.target.connections() == 0);
    }
  }

  @Test
  void rg13TheEndOfAnAdminQueueEndsItsQueues(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      admin.connection().disconnect();
      io.awaitEnd();
      Lab.until(() -> lab.target.connections() == 0 && lab.target.controllers().isEmpty());
      assertTrue(lab.target.counters().isEmpty(), lab.target.counters().toString());
    }
  }
}
