package samples.nvmet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static samples.nvmet.Lab.assertStatus;

import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRejectedException;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.kit.fabric.IbFabric;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a host sends and is wrong: a status or the end of its connection, and a count. */
@IbFabric
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {
  private static final int READ = 2;
  private static final int WRITE = 1;

  // ---- private data ----

  /** A host that says what it likes. */
  private static final class Applicant implements QpFactory {
    private ProtectionDomain pd;
    private CompletionQueue cq;

    @Override
    public QueuePair make(IbDevice device, int port) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(4));
      return pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0)));
    }

    @Override
    public void destroyed(QueuePair qp) {
      cq.close();
      pd.close();
    }
  }

  /** {@return the status in the rejection} */
  private static int rejected(Lab lab, byte[] greeting, int reads) throws Exception {
    RdmaOptions options = RdmaOptions.rc().from(lab.from()).reads(reads, 0).data(greeting);
    try (RdmaConnection c = lab.host.start(lab.at(), options, new Applicant(), RdmaHandler.NONE)) {
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> c.established().get(1, TimeUnit.MINUTES));
      assertTrue(e.getCause() instanceof RdmaRejectedException, e.toString());
      byte[] data = c.ended().get(1, TimeUnit.MINUTES).data();
      assertEquals(0, Wire.u16(MemorySegment.ofArray(data), 0));
      return Wire.u16(MemorySegment.ofArray(data), 2);
    }
  }

  @Test
  void nv2PrivateDataThatIsWrongIsRejectedWithItsStatus(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b)) {
      assertEquals(2, rejected(lab, HostQueue.greeting(1, 0, 32, 32), 16));
      assertEquals(3, rejected(lab, HostQueue.greeting(0, 3, 128, 128), 16));
      assertEquals(4, rejected(lab, HostQueue.greeting(0, 0, 32, 33), 16));
      assertEquals(4, rejected(lab, HostQueue.greeting(0, 1, 128, 129), 16));
      assertEquals(4, rejected(lab, HostQueue.greeting(0, 1, 128, 1), 16));
      assertEquals(5, rejected(lab, HostQueue.greeting(0, 1, 0, 128), 16));
      assertEquals(7, rejected(lab, HostQueue.greeting(0, 1, 128, 128), 0));
      assertEquals(4, rejected(lab, new byte[0], 16)); // zeros: a queue of one command
      assertEquals(4, lab.target.counters().get("connection: SEND_QUEUE_SIZE"));
    }
  }

  @Test
  void rg13MoreConnectionsThanTheLimitAreRejected(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    Limits two = new Limits(2, 128, 2, Duration.ofSeconds(10));
    try (Lab lab = new Lab(core, a, b, two)) {
      try (HostQueue first = lab.connection(0);
          HostQueue second = lab.connection(0)) {
        assertEquals(6, rejected(lab, HostQueue.greeting(0, 0, 32, 32), 16));
        Lab.assertSuccess(Lab.join(first, 0xffff, Lab.NQN));
        Lab.assertSuccess(Lab.join(second, 0xffff, Lab.NQN));
      }
      Lab.until(() -> lab.target.connections() == 0);
      lab.admin().close();
    }
  }

  @Test
  void aConnectionWithoutAConnectCommandIsEnded(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.connection(0)) {
      lab.clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
      lab.target.look();
      assertEquals(1, lab.target.connections());
      lab.clock.addAndGet(1);
      lab.target.look();
      admin.awaitEnd();
      Lab.until(() -> lab.target.connections() == 0);
    }
  }

  // ---- Connect ----

  @Test
  void connectIsRefusedWithThePlaceOfWhatIsWrong(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.connection(0)) {
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, admin.run(Sqe.of(0x18)));
      Sqe property = Sqe.fabrics(4).u32(Capsule.PROPERTY, 8);
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, admin.run(property));
      refused(0x10000 | 256, Lab.join(admin, 0xffff, "nqn.other"));
      refused(0x10000 | 16, Lab.join(admin, 1, Lab.NQN));
      refused(42, admin.run(admin.keyed(Sqe.connect(1, 32), 0, 1024)));
      refused(44, admin.run(admin.keyed(Sqe.connect(0, 33), 0, 1024)));
      refused(44, admin.run(admin.keyed(Sqe.connect(0, 1), 0, 1024)));
      Sqe format = Sqe.connect(0, 32).u16(Capsule.CONNECT_FORMAT, 1);
      assertStatus(Status.CONNECT_INCOMPATIBLE_FORMAT, admin.run(admin.keyed(format, 0, 1024)));
      assertStatus(
          Status.DATA_SGL_LENGTH_INVALID, admin.run(admin.keyed(Sqe.connect(0, 32), 0, 1023)));
      Lab.assertSuccess(Lab.join(admin, 0xffff, Lab.NQN));
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, Lab.join(admin, 0xffff, Lab.NQN));
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, admin.run(Sqe.of(0x18))); // not enabled
    }
  }

  private static void refused(int place, HostQueue.Response response) {
    assertStatus(Status.CONNECT_INVALID_PARAMETERS, response);
    assertEquals(place, response.result());
  }

  @Test
  void rg13AnIoQueueOfNoControllerIsRefused(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue one = lab.connection(1);
        HostQueue same = lab.connection(1)) {
      int id = (int) Lab.controller(admin);
      refused(0x10000 | 16, Lab.join(one, id + 1, Lab.NQN));
      byte[] stranger = Lab.connectData(id, Lab.NQN);
      stranger[3]++; // another host
      refused(0x10000 | 16, one.run(Sqe.connect(1, one.depth).inCapsule(0, 1024), stranger));
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, one.run(Sqe.blocks(READ, 0, 1)));
      Lab.assertSuccess(Lab.join(one, id, Lab.NQN));
      refused(42, Lab.join(same, id, Lab.NQN));
    }
  }

  /** RG-13: the host goes away at each step of a connect with several queues. */
  @Test
  void rg13AHostMayStopAtEachStep(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b)) {
      for (int steps = 0; steps < 6; steps++) {
        List<HostQueue> open = new ArrayList<>();
        try {
          stopAfter(lab, steps, open);
        } finally {
          open.forEach(HostQueue::close); // the admin queue first
        }
        Lab.until(() -> lab.target.connections() == 0 && lab.target.controllers().isEmpty());
      }
    }
  }

  private static void stopAfter(Lab lab, int steps, List<HostQueue> open) throws Exception {
    HostQueue admin = lab.connection(0);
    open.add(admin);
    if (steps > 0) {
      Lab.assertSuccess(Lab.join(admin, 0xffff, Lab.NQN));
    }
    if (steps > 1) {
      Lab.enable(admin);
    }
    if (steps > 2) {
      open.add(lab.connection(1));
    }
    if (steps > 3) {
      Lab.assertSuccess(Lab.join(open.get(1), (int) Lab.controller(admin), Lab.NQN));
    }
    if (steps > 4) {
      HostQueue io = open.get(1);
      for (int i = 0; i < 64; i++) {
        io.submit(io.keyed(Sqe.blocks(i % 2 + 1, i * 8L, 8), 0, 4096));
      }
    }
  }

  // ---- commands ----

  @Test
  void commandsThatAreWrongHaveAStatus(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      assertStatus(Status.INVALID_OPCODE, admin.run(Sqe.of(0x55)));
      assertStatus(Status.INVALID_OPCODE, io.run(Sqe.of(0x55)));
      assertStatus(Status.INVALID_OPCODE, admin.run(Sqe.fabrics(9)));
      assertStatus(Status.INVALID_FIELD, admin.run(Sqe.of(0x18).u8(Capsule.FLAGS, 0)));
      assertStatus(Status.INVALID_FIELD, io.run(Sqe.of(0).u8(Capsule.FLAGS, 0x41)));
      assertStatus(Status.INVALID_FIELD, admin.run(admin.keyed(Sqe.identify(0x33, 0), 0, 4096)));
      assertStatus(Status.INVALID_NAMESPACE, admin.run(admin.keyed(Sqe.identify(0, 2), 0, 4096)));
      assertStatus(Status.INVALID_NAMESPACE, admin.run(admin.keyed(Sqe.identify(5, 2), 0, 4096)));
      Sqe zoned = Sqe.identify(5, 1).u32(Capsule.CDW11, 2 << 24);
      assertStatus(Status.INVALID_FIELD, admin.run(admin.keyed(zoned, 0, 4096)));
      assertStatus(
          Status.DATA_SGL_LENGTH_INVALID, admin.run(admin.keyed(Sqe.identify(1, 0), 0, 64)));
      assertStatus(Status.INVALID_FIELD, admin.run(Sqe.identify(1, 0).inCapsule(0, 4096)));
      assertStatus(Status.INVALID_FIELD, admin.run(Sqe.of(0x0a).u32(Capsule.CDW10, 2)));
      Sqe log = Sqe.of(2).u32(Capsule.CDW10, 0x70 | 3 << 16);
      assertStatus(Status.INVALID_LOG_PAGE, admin.run(admin.keyed(log, 0, 16)));
      log = Sqe.of(2).u32(Capsule.CDW10, 2 | 1024 << 16);
      assertStatus(Status.INVALID_FIELD, admin.run(admin.keyed(log, 0, 4100)));
      Sqe set = Sqe.fabrics(0).u32(Capsule.PROPERTY, 0x1c).u64(48, 1);
      assertStatus(Status.INVALID_FIELD, admin.run(set));
      Sqe get = Sqe.fabrics(4).u32(Capsule.PROPERTY, 0);
      assertStatus(Status.INVALID_FIELD, admin.run(get)); // CAP has 8 bytes
      assertStatus(Status.COMMAND_SEQUENCE_ERROR, io.run(get));
    }
  }

  @Test
  void blocksThatDoNotExistAreRefused(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      long blocks = Lab.BYTES / 512;
      for (long first : new long[] {blocks - 7, blocks, -1, -8, Long.MIN_VALUE, 1L << 55}) {
        for (int opcode : new int[] {READ, WRITE}) {
          Sqe command = io.keyed(Sqe.blocks(opcode, first, 8), 0, 4096);
          assertStatus(Status.LBA_OUT_OF_RANGE, io.run(command));
        }
        Sqe capsule = Sqe.blocks(WRITE, first, 8).inCapsule(0, 4096);
        assertStatus(Status.LBA_OUT_OF_RANGE, io.run(capsule, new byte[4096]));
      }
      Lab.assertSuccess(io.run(io.keyed(Sqe.blocks(READ, blocks - 8, 8), 0, 4096)));
      Sqe other = Sqe.blocks(READ, 0, 8).u32(Capsule.NSID, 2);
      assertStatus(Status.INVALID_NAMESPACE, io.run(io.keyed(other, 0, 4096)));
      Sqe long1 = Sqe.blocks(READ, 0, 2049); // a block more than MDTS
      assertStatus(Status.INVALID_FIELD, io.run(io.keyed(long1, 0, 2049 * 512)));
    }
  }

  /** The target writes what has arrived, not what an earlier capsule has left in the slot. */
  @Test
  void dataThatIsNotInTheCapsuleIsRefused(IbCore core, IbDevice a, IbDevice b) throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin))) {
      byte[] half = new byte[2048];
      for (long offset : new long[] {0, 1, 2048, 4096, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
        Sqe write = Sqe.blocks(WRITE, 0, 8).inCapsule(offset, 4096);
        assertStatus(Status.SGL_OFFSET_INVALID, io.run(write, half));
      }
      Sqe minus = Sqe.blocks(WRITE, 0, 8).inCapsule(0, -4096);
      assertStatus(Status.SGL_OFFSET_INVALID, io.run(minus, half));
      Sqe less = Sqe.blocks(WRITE, 0, 8).inCapsule(0, 2048);
      assertStatus(Status.DATA_SGL_LENGTH_INVALID, io.run(less, half));
      Sqe type = Sqe.blocks(WRITE, 0, 8).inCapsule(0, 4096).u8(Capsule.SGL_TYPE, 0x30);
      assertStatus(Status.SGL_DESCRIPTOR_TYPE_INVALID, io.run(type, new byte[4096]));
    }
  }

  @Test
  void whatIsNoCapsuleEndsItsConnectionAndNoOther(IbCore core, IbDevice a, IbDevice b)
      throws Exception {
    try (Lab lab = new Lab(core, a, b);
        HostQueue admin = lab.admin();
        HostQueue io = lab.io(1, Lab.controller(admin));
        HostQueue other = lab.io(2, Lab.controller(admin))) {
      io.sendRaw(new byte[63]);
      io.awaitEnd();
      assertEquals(1, lab.target.counters().get("no capsule: too short"));
      Lab.assertSuccess(other.run(Sqe.of(0).u32(Capsule.NSID, 1)));
      admin.sendRaw(new byte[65]); // longer than a receive of an admin queue
      admin.awaitEnd();
      other.awaitEnd();
      assertEquals(1, lab.target.counters().get("completed with LOC_LEN_ERR"));
    }
  }

  /** Any 64 to 4,160 bytes: a response, or the end of the connection. */
  @Test
  void anyCapsuleIsAnswered(IbCore core, IbDevice a, IbDevice b) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (Lab lab = new Lab(core, a, b)) {
      int answered = 0;
      for (int round = 0; round < 40; round++) {
        try (HostQueue admin = lab.admin();
            HostQueue io = lab.io(1, Lab.controller(admin))) {
          for (int i = 0; i < 50; i++) {
            answered += fuzz(random.nextBoolean() ? admin : io, random);
          }
        }
      }
      assertTrue(answered > 1000, answered + " of 2,000 answered");
      lab.assertNothingThrown();
    }
  }

  private static final int[] OPCODES = {0, 1, 2, 6, 8, 9, 10, 12, 0x18, 0x7f};

  /** {@return 1 when the capsule was answered} */
  private static int fuzz(HostQueue queue, SplittableRandom random) {
    if (!queue.connection().isOpen()) {
      return 0;
    }
    byte[] more = new byte[queue.qid == 0 ? 0 : random.nextInt(Limits.IN_CAPSULE + 1)];
    Sqe any = Sqe.of(OPCODES[random.nextInt(OPCODES.length)]);
    if (random.nextBoolean()) {
      any.u32(Capsule.NSID, 1);
    }
    for (int i = random.nextInt(12); i > 0; i--) {
      any.u8(4 + random.nextInt(60), random.nextInt(256) >>> random.nextInt(8));
    }
    if (any.bytes()[0] == 12) {
      return 0; // an event that may never come
    }
    int cid = queue.submit(any, more);
    return queue.awaitOrEnd(cid) == null ? 0 : 1;
  }

  // ---- devices ----

  @Test
  void theDeviceOfTheHostGoesUnderTraffic(IbCore core, StandaloneFabric fabric) throws Exception {
    goes(core, fabric, "soft1", "soft0", "soft0");
  }

  @Test
  void theDeviceOfTheTargetGoesUnderTraffic(IbCore core, StandaloneFabric fabric) throws Exception {
    goes(core, fabric, "soft0", "soft0", "soft1");
  }

  /** One device of a connection goes; afterwards a host connects through the other. */
  private static void goes(
      IbCore core, StandaloneFabric fabric, String name, String at, String other) throws Exception {
    IbDevice from = fabric.device(at.equals("soft0") ? "soft1" : "soft0");
    try (Lab lab = new Lab(core, fabric.device(at), from)) {
      try (HostQueue admin = lab.admin();
          HostQueue io = lab.io(1, Lab.controller(admin))) {
        for (int i = 0; i < 100; i++) {
          io.submit(io.keyed(Sqe.blocks(i % 2 + 1, i * 8L, 8), 0, 4096));
        }
        fabric.unplug(name);
        io.awaitEnd();
        admin.awaitEnd();
      }
      Lab.until(() -> lab.target.connections() == 0);
      assertEquals(List.of(), core.violations());
      lab.go(fabric.device(other), fabric.device(other));
      lab.admin().close();
    }
  }
}
