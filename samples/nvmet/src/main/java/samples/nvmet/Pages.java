package samples.nvmet;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.UUID;

/** The data of Identify (NVM Express Base, "Identify command"). */
final class Pages {
  /** The only namespace. */
  static final int NSID = 1;

  static final int ALL_NAMESPACES = -1;

  private static final int CNS_NAMESPACE = 0x00;
  private static final int CNS_CONTROLLER = 0x01;
  private static final int CNS_LIST = 0x02;
  private static final int CNS_DESCRIPTORS = 0x03;
  private static final int CNS_COMMAND_SET_NAMESPACE = 0x05;
  private static final int CNS_COMMAND_SET_CONTROLLER = 0x06;

  private static final int IO_CONTROLLER = 1;
  private static final int DISCOVERY_CONTROLLER = 2;
  private static final int NAMESPACE_EVENTS = 1 << 8;
  private static final int HOST_ID_128 = 1;
  private static final int TRAFFIC_KEEPS_ALIVE = 1 << 6;
  private static final int SGLS = 1 | 1 << 2 | 1 << 20; // also keyed, also with an offset

  private Pages() {}

  /** Writes the page that the command asks for; {@return whether there is one} */
  static Status identify(Task task, Controller controller, MemorySegment page) {
    Subsystem subsystem = task.link().target().subsystem();
    int nsid = task.u32(Capsule.NSID);
    int cns = task.u8(Capsule.CDW10);
    if (cns == CNS_CONTROLLER) {
      controller(page, controller, task.link().target());
      return Status.SUCCESS;
    }
    if (controller.isDiscovery()) {
      return Status.INVALID_FIELD; // it has no namespaces
    }
    switch (cns) {
      case CNS_LIST -> {
        if (Integer.compareUnsigned(nsid, -2) >= 0) {
          return Status.INVALID_NAMESPACE;
        }
        Wire.u32(page, 0, nsid == 0 ? NSID : 0); // those with larger numbers than the command's
      }
      case CNS_NAMESPACE -> {
        if (nsid != NSID && nsid != ALL_NAMESPACES) {
          return Status.INVALID_NAMESPACE;
        }
        namespace(page, subsystem.store());
      }
      case CNS_DESCRIPTORS -> {
        if (nsid != NSID) {
          return Status.INVALID_NAMESPACE;
        }
        descriptors(page, subsystem.store());
      }
      case CNS_COMMAND_SET_NAMESPACE -> { // all 0: no storage tags, no protection; Linux 7.3 asks
        if (nsid != NSID) {
          return Status.INVALID_NAMESPACE;
        }
        return ofNvm(task);
      }
      case CNS_COMMAND_SET_CONTROLLER -> {
        return ofNvm(task);
      }
      default -> {
        return Status.INVALID_FIELD;
      }
    }
    return Status.SUCCESS;
  }

  /** {@return whether the command is about the NVM command set, the only one there is} */
  private static Status ofNvm(Task task) {
    return task.u8(Capsule.CDW11 + 3) == 0 ? Status.SUCCESS : Status.INVALID_FIELD;
  }

  private static void controller(MemorySegment page, Controller controller, Target target) {
    Store store = target.subsystem().store();
    boolean discovery = controller.isDiscovery();
    Wire.padded(page, 4, 20, Long.toHexString(store.id().getMostSignificantBits())); // SN
    Wire.padded(page, 24, 40, "ib samples.nvmet"); // MN
    Wire.padded(page, 64, 8, "1"); // FR
    Wire.u8(page, 76, 2); // CMIC: several controllers
    Wire.u8(page, 77, 8); // MDTS, 2^8 pages of 4 KiB: Limits.TRANSFER
    Wire.u16(page, 78, controller.id());
    Wire.u32(page, 80, (int) controller.property(0x08)); // VER
    Wire.u32(page, 92, discovery ? 0 : NAMESPACE_EVENTS); // OAES
    Wire.u32(page, 96, HOST_ID_128 | TRAFFIC_KEEPS_ALIVE); // CTRATT
    Wire.u8(page, 111, discovery ? DISCOVERY_CONTROLLER : IO_CONTROLLER); // CNTRLTYPE
    Wire.u8(page, 258, 3); // ACL
    Wire.u8(page, 259, 3); // AERL
    Wire.u8(page, 260, 3); // FRMW: one slot, read only
    Wire.u8(page, 261, 1 << 2); // LPA: log pages in parts
    Wire.u16(page, 320, 10); // KAS, in units of 100 ms
    Wire.u8(page, 512, 0x66); // SQES
    Wire.u8(page, 513, 0x44); // CQES
    int depth = discovery ? Limits.ADMIN_DEPTH : target.limits().depth();
    Wire.u16(page, 514, depth); // MAXCMD
    Wire.u32(page, 516, discovery ? 0 : 1); // NN
    Wire.u8(page, 525, store.isCached() ? 1 : 0); // VWC
    Wire.u32(page, 536, SGLS);
    Wire.terminated(page, 768, 256, controller.nqn());
    Wire.u32(page, 1792, (Capsule.COMMAND + Limits.IN_CAPSULE) / 16); // IOCCSZ
    Wire.u32(page, 1796, Capsule.RESPONSE / 16); // IORCSZ
    Wire.u8(page, 1803, 1); // MSDBD
  }

  private static void namespace(MemorySegment page, Store store) {
    Wire.u64(page, 0, store.blocks()); // NSZE
    Wire.u64(page, 8, store.blocks()); // NCAP
    Wire.u64(page, 16, store.blocks()); // NUSE
    Wire.u8(page, 30, 1); // NMIC: of several controllers
    uuid(page, 104, store.id()); // NGUID
    Wire.u8(page, 130, Integer.numberOfTrailingZeros(Store.BLOCK_BYTES)); // LBADS of format 0
  }

  private static void descriptors(MemorySegment page, Store store) {
    Wire.u8(page, 0, 3); // a UUID
    Wire.u8(page, 1, 16);
    uuid(page, 4, store.id());
    Wire.u8(page, 20, 4); // a command set: 0, NVM
    Wire.u8(page, 21, 1);
  }

  private static void uuid(MemorySegment page, long at, UUID id) {
    ByteBuffer bytes = page.asSlice(at, 16).asByteBuffer(); // big-endian
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }
}
