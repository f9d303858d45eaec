package samples.nvmet;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;

/**
 * A command, from the capsule that has arrived to the completion of its response. All of it happens
 * on the thread of the link's completion queue. A task is used again and again; it allocates
 * nothing when it moves data.
 *
 * <p>Data of the host is in its memory, which the task reads and writes with a key that is in the
 * capsule, or in the capsule itself.
 */
final class Task {
  /** Goes on with a command when the host's data is here. */
  @FunctionalInterface
  interface Step {
    void run(Task task);
  }

  private static final int KEYED = 0x40; // descriptor type and subtype, NVMe over RDMA, "SGL"
  private static final int KEYED_INVALIDATE = 0x4f;
  private static final int IN_CAPSULE = 0x01;

  private final Link link;
  private final MemoryRegion area;
  private final long response; // offset in the area
  private final long page;
  private final SendWr read = new SendWr(1).opcode(WrOpcode.RDMA_READ).flags(SendFlags.SIGNALED);
  private final SendWr write = new SendWr(1).opcode(WrOpcode.RDMA_WRITE);
  private final SendWr send = new SendWr(1).flags(SendFlags.SIGNALED);

  private int slot;
  private int capsuleBytes;
  private long capsule; // offset in the area
  private long remote;
  private int key;
  private int invalidate; // 0: no key
  private boolean inCapsule;
  private long dataAt;
  private Step next;

  /**
   * Makes a task.
   *
   * @param link its connection
   * @param area memory of the link
   * @param response where its responses are written, 16 bytes of the area
   * @param page where data that is no block goes, {@link Capsule#PAGE} bytes of the area; of an I/O
   *     queue all tasks have the same, which only Connect uses
   */
  Task(Link link, MemoryRegion area, long response, long page) {
    this.link = link;
    this.area = area;
    this.response = response;
    this.page = page;
    read.cqe(this::fetched);
    write.cqe(this::delivered);
    send.cqe(this::sent).addSge(area.lkey(), area.iova() + response, Capsule.RESPONSE);
  }

  /** Takes a capsule. */
  void begin(int fromSlot, long at, int bytes) {
    slot = fromSlot;
    capsule = at;
    capsuleBytes = bytes;
    invalidate = 0;
    inCapsule = false;
  }

  Link link() {
    return link;
  }

  Controller controller() {
    return link.controller();
  }

  // ---- the command ----

  int opcode() {
    return Wire.u8(area.segment(), capsule);
  }

  int flags() {
    return Wire.u8(area.segment(), capsule + Capsule.FLAGS);
  }

  int u8(int at) {
    return Wire.u8(area.segment(), capsule + at);
  }

  int u16(int at) {
    return Wire.u16(area.segment(), capsule + at);
  }

  int u32(int at) {
    return Wire.u32(area.segment(), capsule + at);
  }

  long u64(int at) {
    return Wire.u64(area.segment(), capsule + at);
  }

  /**
   * Reads where the data of the command is.
   *
   * @param bytes how many the command has, 0 for none
   * @param fromHost whether the host sends them
   * @return SUCCESS, or why the command is refused
   */
  Status locate(long bytes, boolean fromHost) {
    int type = u8(Capsule.SGL_TYPE);
    if (type == KEYED || type == KEYED_INVALIDATE) {
      remote = u64(Capsule.SGL);
      key = u32(Capsule.SGL_KEY);
      invalidate = type == KEYED_INVALIDATE ? key : 0;
      long length = Wire.u24(area.segment(), capsule + Capsule.SGL_LENGTH);
      return length == bytes ? Status.SUCCESS : Status.DATA_SGL_LENGTH_INVALID;
    }
    if (type != IN_CAPSULE) {
      return Status.SGL_DESCRIPTOR_TYPE_INVALID;
    }
    if (!fromHost && bytes > 0) {
      return Status.INVALID_FIELD;
    }
    long arrived = capsuleBytes - Capsule.COMMAND; // not what would fit
    long offset = u64(Capsule.SGL);
    long length = Integer.toUnsignedLong(u32(Capsule.SGL_LENGTH));
    if (offset < 0 || offset > arrived || length > arrived - offset) {
      return Status.SGL_OFFSET_INVALID;
    }
    inCapsule = true;
    dataAt = capsule + Capsule.COMMAND + offset;
    return length == bytes ? Status.SUCCESS : Status.DATA_SGL_LENGTH_INVALID;
  }

  // ---- data ----

  /** {@return the memory of data that is no block; zero, at the most {@link Capsule#PAGE} bytes} */
  MemorySegment page(long bytes) {
    return area.segment().asSlice(page, bytes).fill((byte) 0);
  }

  /** {@return data of the host, after {@link #gather}} */
  MemorySegment gathered(long bytes) {
    return area.segment().asSlice(dataAt, bytes);
  }

  /** Has data of the host, which is no block, in memory before the next step. */
  void gather(int bytes, Step then) {
    if (inCapsule) {
      then.run(this);
    } else {
      dataAt = page;
      fetch(area.lkey(), area.iova() + page, bytes, then);
    }
  }

  /** Has blocks of the host in the store before the next step. */
  void gatherBlocks(long offset, int bytes, Step then) {
    MemoryRegion store = link.store();
    if (inCapsule) {
      MemorySegment.copy(area.segment(), dataAt, store.segment(), offset, bytes);
      then.run(this);
    } else {
      fetch(store.lkey(), store.iova() + offset, bytes, then);
    }
  }

  private void fetch(int lkey, long to, int bytes, Step then) {
    next = then;
    read.clearSges().addSge(lkey, to, bytes).remoteAddr(remote).rkey(key);
    post(read);
  }

  private void fetched(CompletionQueue cq, WorkCompletion wc) {
    if (wc.status() == WcStatus.SUCCESS) {
      link.turn(this, next);
    } else {
      over(wc);
    }
  }

  // ---- the response ----

  /** Ends the command: the host's data, if any, is not touched. */
  void respond(Status status) {
    respond(status, 0);
  }

  /** Ends the command with a result for the host. */
  void respond(Status status, long result) {
    fill(status, result);
    post(send);
  }

  /** Ends the command after so many bytes of the page were written into the host's memory. */
  void respondPage(int bytes) {
    respondWith(area.lkey(), area.iova() + page, bytes);
  }

  /** Ends the command after blocks were written into the host's memory. */
  void respondBlocks(long offset, int bytes) {
    respondWith(link.store().lkey(), link.store().iova() + offset, bytes);
  }

  /** The response follows the data on the same queue pair, so it arrives behind it (NV-5). */
  private void respondWith(int lkey, long from, int bytes) {
    fill(Status.SUCCESS, 0);
    write.clearSges().addSge(lkey, from, bytes).remoteAddr(remote).rkey(key).next(send);
    post(write);
  }

  /** The slot is free for the next capsule from here on; the host counts on that. */
  private void fill(Status status, long result) {
    if (status != Status.SUCCESS) {
      link.refused(status.reason());
    }
    MemorySegment s = area.segment();
    Wire.u64(s, response, result);
    Wire.u16(s, response + Capsule.RESPONSE_SQHD, link.sqhd());
    Wire.u16(s, response + Capsule.RESPONSE_SQID, 0);
    Wire.u16(s, response + Capsule.RESPONSE_CID, u16(Capsule.CID));
    Wire.u16(s, response + Capsule.RESPONSE_STATUS, status.field());
    send.opcode(invalidate == 0 ? WrOpcode.SEND : WrOpcode.SEND_WITH_INV);
    send.invalidateRkey(invalidate);
    link.receive(slot);
  }

  /** Ends the command without a response. */
  void forget() {
    link.receive(slot);
    link.ended(this);
  }

  private void post(SendWr first) {
    int status = link.qp().postSend(first);
    if (status != PostStatus.OK) {
      link.fail("not posted: " + PostStatus.text(status));
      link.ended(this);
    }
  }

  private void delivered(CompletionQueue cq, WorkCompletion wc) {
    if (wc.status() != WcStatus.SUCCESS) {
      link.broken(wc); // the response behind it is flushed, which ends the task
    }
  }

  private void sent(CompletionQueue cq, WorkCompletion wc) {
    over(wc);
  }

  private void over(WorkCompletion wc) {
    if (wc.status() != WcStatus.SUCCESS) {
      link.broken(wc);
    }
    link.ended(this);
  }
}
