package samples.nvmet;

import java.lang.foreign.MemorySegment;

/**
 * A host's description of a queue in the private data of its request to connect (NVMe over RDMA,
 * "RDMA Connection Establishment").
 *
 * @param qid 0 for the admin queue
 * @param receives of the host: so many responses fit there
 * @param depth commands that it will have outstanding
 */
record Greeting(int qid, int receives, int depth) {
  private static final int FORMAT = 0;

  /** Why a request is rejected; the numbers are NVMe's. */
  enum Refusal {
    RECORD_FORMAT(2),
    QUEUE_ID(3),
    SEND_QUEUE_SIZE(4),
    RECEIVE_QUEUE_SIZE(5),
    NO_RESOURCES(6),
    READ_DEPTH(7);

    private final int status;

    Refusal(int status) {
      this.status = status;
    }

    /** {@return the private data of the rejection} */
    byte[] data() {
      byte[] data = new byte[4];
      Wire.u16(MemorySegment.ofArray(data), 2, status);
      return data;
    }
  }

  /** {@return the greeting in private data of at least 8 bytes} */
  static Greeting read(byte[] data) {
    MemorySegment s = MemorySegment.ofArray(data);
    return new Greeting(Wire.u16(s, 2), Wire.u16(s, 4), Wire.u16(s, 6) + 1);
  }

  /** {@return why a queue like this cannot be had; null when it can} */
  static Refusal check(byte[] data, Limits limits) {
    if (Wire.u16(MemorySegment.ofArray(data), 0) != FORMAT) {
      return Refusal.RECORD_FORMAT;
    }
    Greeting asked = read(data);
    int most = asked.isAdmin() ? Limits.ADMIN_DEPTH : limits.depth();
    if (asked.qid > limits.ioQueues()) {
      return Refusal.QUEUE_ID;
    }
    if (asked.depth < 2 || asked.depth > most) {
      return Refusal.SEND_QUEUE_SIZE;
    }
    return asked.receives < 1 ? Refusal.RECEIVE_QUEUE_SIZE : null;
  }

  /** {@return the private data of the answer: format, and how many commands fit here} */
  byte[] answer() {
    byte[] data = new byte[32];
    Wire.u16(MemorySegment.ofArray(data), 2, depth);
    return data;
  }

  boolean isAdmin() {
    return qid == 0;
  }
}
