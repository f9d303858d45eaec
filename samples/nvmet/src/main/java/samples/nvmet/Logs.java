package samples.nvmet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The data of Get Log Page: errors, health and firmware say that all is well; and discovery. */
final class Logs {
  private static final int ERRORS = 0x01;
  private static final int HEALTH = 0x02;
  private static final int FIRMWARE = 0x03;
  private static final int DISCOVERY = 0x70;

  private static final int ENTRY = 1024; // of the discovery log, whose header is as long
  private static final int RDMA = 1;
  private static final int IPV4 = 1;
  private static final int IPV6 = 2;
  private static final int NVM_SUBSYSTEM = 2;
  private static final int RELIABLE_CONNECTED = 1;
  private static final int NO_PROVIDER = 1;
  private static final int RDMA_CM = 1;
  private static final int ROOM_TEMPERATURE_K = 293;

  private Logs() {}

  /** Writes a part of a log page; {@return whether there is such a page, and such a part} */
  static Status read(Task task, Controller controller, long bytes) {
    long offset = task.u64(Capsule.CDW12);
    int id = task.u8(Capsule.CDW10);
    if (offset < 0 || offset > Capsule.PAGE || offset % 4 != 0) {
      return Status.INVALID_FIELD;
    }
    if (controller.isDiscovery() != (id == DISCOVERY)) {
      return Status.INVALID_LOG_PAGE;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment whole = arena.allocate(Capsule.PAGE);
      switch (id) {
        case ERRORS -> {} // none
        case HEALTH -> {
          Wire.u16(whole, 1, ROOM_TEMPERATURE_K);
          Wire.u8(whole, 3, 100); // available spare, per cent
        }
        case FIRMWARE -> {
          Wire.u8(whole, 0, 1); // slot 1 is active
          Wire.padded(whole, 8, 8, "1");
        }
        case DISCOVERY -> discovery(whole, task.link());
        default -> {
          return Status.INVALID_LOG_PAGE;
        }
      }
      long part = Math.min(bytes, Capsule.PAGE - offset);
      task.page(bytes).asSlice(0, part).copyFrom(whole.asSlice(offset, part));
      return Status.SUCCESS;
    }
  }

  /** One entry: the subsystem is where the host has found the discovery service. */
  private static void discovery(MemorySegment log, Link link) {
    Target target = link.target();
    Wire.u64(log, 0, 1); // GENCTR
    Wire.u64(log, 8, 1); // NUMREC
    MemorySegment entry = log.asSlice(ENTRY, ENTRY);
    InetSocketAddress at = link.localAddress();
    InetAddress address = at.getAddress();
    Wire.u8(entry, 0, RDMA); // TRTYPE
    Wire.u8(entry, 1, address instanceof Inet6Address ? IPV6 : IPV4); // ADRFAM
    Wire.u8(entry, 2, NVM_SUBSYSTEM); // SUBTYPE
    Wire.u16(entry, 4, 1); // PORTID
    Wire.u16(entry, 6, 0xffff); // CNTLID: dynamic
    Wire.u16(entry, 8, Limits.ADMIN_DEPTH); // ASQSZ
    Wire.padded(entry, 32, 32, Integer.toString(at.getPort())); // TRSVCID
    Wire.terminated(entry, 256, 256, target.subsystem().nqn());
    Wire.padded(entry, 512, 256, address.getHostAddress().replaceAll("%.*", "")); // TRADDR
    Wire.u8(entry, 768, RELIABLE_CONNECTED); // TSAS: QP type, provider, connection manager
    Wire.u8(entry, 769, NO_PROVIDER);
    Wire.u8(entry, 770, RDMA_CM);
  }
}
