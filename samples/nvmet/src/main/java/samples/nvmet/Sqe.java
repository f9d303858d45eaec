package samples.nvmet;

import java.lang.foreign.MemorySegment;

/** A command as a host writes it: 64 bytes. */
final class Sqe {
  private final byte[] bytes = new byte[Capsule.COMMAND];
  private final MemorySegment s = MemorySegment.ofArray(bytes);

  private Sqe(int opcode) {
    Wire.u8(s, 0, opcode);
    Wire.u8(s, Capsule.FLAGS, 0x40);
    keyed(0, 0, 0);
  }

  static Sqe of(int opcode) {
    return new Sqe(opcode);
  }

  static Sqe fabrics(int type) {
    return new Sqe(0x7f).u8(Capsule.FCTYPE, type);
  }

  static Sqe identify(int cns, int nsid) {
    return of(0x06).u32(Capsule.NSID, nsid).u32(Capsule.CDW10, cns);
  }

  /** Read (2) or Write (1) of blocks. */
  static Sqe blocks(int opcode, long first, int count) {
    return of(opcode).u32(Capsule.NSID, 1).u64(Capsule.CDW10, first).u32(Capsule.CDW12, count - 1);
  }

  /** Connect of a queue of the length that the greeting has. */
  static Sqe connect(int qid, int depth) {
    return fabrics(1)
        .u16(Capsule.CONNECT_QID, qid)
        .u16(Capsule.CONNECT_SQSIZE, depth - 1)
        .u32(Capsule.CONNECT_KATO, 5000);
  }

  /** {@return the data of Connect} */
  static byte[] connectData(int controller, String subsystem, String host) {
    byte[] bytes = new byte[1024];
    MemorySegment s = MemorySegment.ofArray(bytes);
    bytes[3] = 7; // host id
    Wire.u16(s, 16, controller);
    Wire.terminated(s, 256, 256, subsystem);
    Wire.terminated(s, 512, 256, host);
    return bytes;
  }

  Sqe u8(int at, int value) {
    Wire.u8(s, at, value);
    return this;
  }

  Sqe u16(int at, int value) {
    Wire.u16(s, at, value);
    return this;
  }

  Sqe u32(int at, int value) {
    Wire.u32(s, at, value);
    return this;
  }

  Sqe u64(int at, long value) {
    Wire.u64(s, at, value);
    return this;
  }

  Sqe keyed(long address, int length, int key) {
    u64(Capsule.SGL, address);
    Wire.u24(s, Capsule.SGL_LENGTH, length);
    return u32(Capsule.SGL_KEY, key).u8(Capsule.SGL_TYPE, 0x40);
  }

  Sqe invalidating() {
    return u8(Capsule.SGL_TYPE, 0x4f);
  }

  Sqe inCapsule(long offset, int length) {
    u64(Capsule.SGL, offset);
    u32(Capsule.SGL_LENGTH, length);
    return u32(Capsule.SGL_KEY + 1, 0).u8(Capsule.SGL_TYPE, 1);
  }

  Sqe id(int cid) {
    return u16(Capsule.CID, cid);
  }

  byte[] bytes() {
    return bytes;
  }
}
