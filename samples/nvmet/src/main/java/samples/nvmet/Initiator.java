package samples.nvmet;

import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.SplittableRandom;
import samples.nvmet.HostQueue.Response;

/**
 * A host in Java, with a controller and one I/O queue at any target, Linux's among them. It fails
 * with {@link IllegalStateException}.
 */
final class Initiator implements AutoCloseable {
  /** Bytes of the disk that {@link #exercise} writes. */
  static final int SPAN = 4 << 20;

  private static final String NQN = "nqn.2026-11.samples:host";
  private static final int ANY = 0xffff;
  private static final int READ = 2;
  private static final int WRITE = 1;
  private static final int DEPTH = 32;
  private static final int AT_ONCE = 16;
  private static final int PAGE = Capsule.PAGE;
  private static final int LARGE = 64 << 10;
  private static final int ENABLE = 0x460001; // entries of 64 and 16 bytes
  private static final int SHUT_DOWN = ENABLE | 1 << 14;

  private final HostQueue admin;
  private final HostQueue io;
  private final int block;
  private final long blocks;
  private final String model;

  /** A read of a page under way. */
  private record Reading(int cid, int slot, int page) {}

  /** Connects to a subsystem, and looks at its first namespace. */
  Initiator(RdmaCm cm, InetSocketAddress to, RdmaOptions options, String nqn)
      throws InterruptedException {
    admin = new HostQueue(cm, to, options, new HostQueue.Sizes(0, DEPTH, PAGE, DEPTH));
    HostQueue made = null;
    boolean done = false;
    try {
      long controller = join(admin, ANY, nqn).result();
      ok(admin.run(property(ENABLE)));
      Response status = ok(admin.run(Sqe.fabrics(4).u32(Capsule.PROPERTY, 0x1c)));
      must((status.result() & 1) == 1, "the controller is not ready: " + status);
      model = Wire.text(identify(1, 0), 24, 40).strip();
      must(Wire.u32(identify(2, 0), 0) == 1, "the first namespace is not 1");
      MemorySegment namespace = identify(0, 1);
      blocks = Wire.u64(namespace, 0);
      int format = Wire.u8(namespace, 26) & 0xf;
      block = 1 << Wire.u8(namespace, 128 + 4 * format + 2);
      ok(admin.run(Sqe.of(9).u32(Capsule.CDW10, 7))); // one queue each way
      made = new HostQueue(cm, to, options, new HostQueue.Sizes(1, DEPTH, SPAN + LARGE, DEPTH));
      join(made, (int) controller & ANY, nqn);
      io = made;
      done = true;
    } finally {
      if (!done) {
        if (made != null) {
          made.close();
        }
        admin.close();
      }
    }
  }

  private static void must(boolean is, String what) {
    if (!is) {
      throw new IllegalStateException(what);
    }
  }

  private static Response ok(Response response) {
    must(response.status() == 0, "NVMe status 0x" + Integer.toHexString(response.status() >> 1));
    return response;
  }

  private static Response join(HostQueue queue, int controller, String nqn) {
    byte[] data = Sqe.connectData(controller, nqn, NQN);
    queue.segment().copyFrom(MemorySegment.ofArray(data));
    return ok(queue.run(queue.keyed(Sqe.connect(queue.qid, queue.depth), 0, data.length)));
  }

  private static Sqe property(int configuration) {
    return Sqe.fabrics(0).u32(Capsule.PROPERTY, 0x14).u64(Capsule.PROPERTY_VALUE, configuration);
  }

  private MemorySegment identify(int what, int namespace) {
    ok(admin.run(admin.keyed(Sqe.identify(what, namespace), 0, PAGE)));
    return admin.segment();
  }

  /**
   * Writes the first {@link #SPAN} bytes of the disk with random ones, reads them back, page by
   * page at random places, and compares; then writes pages by the other ways there are, which are
   * data in the capsule and a key that counts for one command, and compares all.
   *
   * @param reads how many pages are read at random
   * @return what was done
   */
  String exercise(int reads, long seed) {
    must(blocks * block >= SPAN, "a disk of " + blocks + " blocks of " + block + " bytes");
    SplittableRandom random = new SplittableRandom(seed);
    byte[] disk = new byte[SPAN];
    random.nextBytes(disk);
    fill(disk);
    read(disk, reads, random);
    int invalidated = write(disk, random);
    ok(io.run(Sqe.of(0).u32(Capsule.NSID, 1))); // Flush
    for (int at = 0; at < SPAN; at += LARGE) {
      ok(io.run(io.keyed(blocks(READ, at, LARGE), at, LARGE)));
    }
    must(same(0, disk, 0, SPAN), "what was read at last is not what was written");
    return String.format(
        Locale.ROOT,
        "%s, %d blocks of %d bytes: %d pages read, %d written, %d keys invalidated, all equal",
        model,
        blocks,
        block,
        reads,
        SPAN / LARGE + 2 * AT_ONCE,
        invalidated);
  }

  /** Writes the first bytes of the disk. */
  void fill(byte[] disk) {
    for (int at = 0; at < SPAN; at += LARGE) {
      MemorySegment.copy(disk, at, io.segment(), ValueLayout.JAVA_BYTE, SPAN, LARGE);
      ok(io.run(io.keyed(blocks(WRITE, at, LARGE), SPAN, LARGE)));
    }
  }

  private Sqe blocks(int what, int at, int length) {
    return Sqe.blocks(what, at / block, length / block);
  }

  private boolean same(long at, byte[] disk, int from, int length) {
    MemorySegment is = io.segment().asSlice(at, length);
    return is.mismatch(MemorySegment.ofArray(disk).asSlice(from, length)) < 0;
  }

  /** Reads pages at random places, some at once, and compares each. */
  void read(byte[] disk, int count, SplittableRandom random) {
    Deque<Reading> underWay = new ArrayDeque<>();
    for (int i = 0; i < count + AT_ONCE; i++) {
      if (underWay.size() == AT_ONCE || i >= count && !underWay.isEmpty()) {
        Reading one = underWay.remove();
        ok(io.await(one.cid));
        boolean right = same((long) one.slot * PAGE, disk, one.page * PAGE, PAGE);
        must(right, "page " + one.page + " is not what was written");
      }
      if (i < count) {
        int page = random.nextInt(SPAN / PAGE);
        int slot = i % AT_ONCE;
        Sqe read = io.keyed(blocks(READ, page * PAGE, PAGE), (long) slot * PAGE, PAGE);
        underWay.add(new Reading(io.submit(read), slot, page));
      }
    }
  }

  /**
   * Writes pages with data in the capsule, and with a key of their own; {@return keys that ended}
   */
  private int write(byte[] disk, SplittableRandom random) {
    MemoryRegion fast = io.registers(1);
    int key = fast.rkey();
    int invalidated = 0;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(PAGE, PAGE);
      for (int i = 0; i < 2 * AT_ONCE; i++) {
        byte[] page = new byte[PAGE];
        random.nextBytes(page);
        int at = random.nextInt(SPAN / PAGE) * PAGE;
        System.arraycopy(page, 0, disk, at, PAGE);
        Sqe write = blocks(WRITE, at, PAGE);
        if (i % 2 == 0) {
          ok(io.run(write.inCapsule(0, PAGE), page));
        } else {
          memory.copyFrom(MemorySegment.ofArray(page));
          fast.map(memory);
          Response response = ok(io.await(io.submitRegistered(write, fast, PAGE, key)));
          must(response.invalidated() == key, "the key was not invalidated: " + response);
          invalidated++;
          key = MemoryRegion.nextKey(key);
        }
      }
    }
    return invalidated;
  }

  /** Shuts the controller down, and disconnects. */
  @Override
  public void close() {
    try {
      ok(admin.run(property(SHUT_DOWN)));
    } finally {
      io.close();
      admin.close();
    }
  }
}
