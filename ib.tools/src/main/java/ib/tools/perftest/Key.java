package ib.tools.perftest;

import ib.core.verbs.Gid;
import ib.tools.perftest.Tool.Verb;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The address of a queue pair and its memory, in the record format of perftest 6.06.
 *
 * @param lid LID of the port, 0 on Ethernet
 * @param outstanding RDMA reads and atomics that this end serves at a time
 * @param qpn queue pair number
 * @param psn first packet sequence number
 * @param rkey key of the memory
 * @param address address of the memory
 * @param gid GID; null to use LIDs, in which case the peer must use LIDs too
 */
record Key(int lid, int outstanding, int qpn, int psn, int rkey, long address, @Nullable Gid gid) {
  private static final int WITH_GID = 108;
  private static final int WITHOUT_GID = 59;
  private static final int HEAD_FIELDS = 6;
  private static final int RECORD = 56;
  private static final int RECORD_GID = 32;
  private static final int GID_BYTES = 16;

  /** The key of an end that has no queue pair yet. */
  static final Key NONE = new Key(0, 0, 0, 0, 0, 0, null);

  static int wireBytes(boolean withGid) {
    return withGid ? WITH_GID : WITHOUT_GID;
  }

  byte[] toWire() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%04x:%04x:%06x:%06x:%08x:%016x:",
                lid,
                outstanding,
                qpn,
                psn,
                rkey,
                address));
    if (gid == null) {
      text.append("00000000");
    } else {
      for (byte b : gid.toBytes()) {
        text.append(String.format(Locale.ROOT, "%02x:", b));
      }
      text.append("00000000:");
    }
    byte[] wire = text.toString().getBytes(StandardCharsets.US_ASCII);
    return Arrays.copyOf(wire, wireBytes(gid != null));
  }

  /**
   * Parses the record of a peer.
   *
   * @throws IllegalArgumentException when the bytes are no such record
   */
  static Key ofWire(byte[] wire) {
    String text = new String(wire, StandardCharsets.US_ASCII);
    String[] part = text.substring(0, text.indexOf('\0')).split(":");
    boolean withGid = wire.length == WITH_GID;
    if (part.length != HEAD_FIELDS + (withGid ? Gid.ZERO.toBytes().length : 0) + 1) {
      throw new IllegalArgumentException("not perftest's record: '" + text + "'");
    }
    Gid gid = null;
    if (withGid) {
      byte[] bytes = new byte[Gid.ZERO.toBytes().length];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) Integer.parseInt(part[HEAD_FIELDS + i], 16);
      }
      gid = Gid.of(bytes);
    }
    return new Key(
        Integer.parseInt(part[0], 16),
        Integer.parseInt(part[1], 16),
        Integer.parseInt(part[2], 16),
        Integer.parseInt(part[3], 16),
        Integer.parseUnsignedInt(part[4], 16),
        Long.parseUnsignedLong(part[5], 16),
        gid);
  }

  /** {@return the binary record of the exchange over RDMA CM: 56 bytes, big-endian} */
  byte[] toRecord() {
    ByteBuffer record = ByteBuffer.allocate(RECORD).putInt(lid).putInt(outstanding).putInt(qpn);
    record.putInt(psn).putInt(rkey).putInt(0).putLong(address);
    record.put(gid == null ? Gid.ZERO.toBytes() : gid.toBytes());
    return record.array(); // zero: number of a shared receive queue, GID index
  }

  /** Parses the binary record of a peer. */
  static Key ofRecord(byte[] record) {
    ByteBuffer in = ByteBuffer.wrap(record);
    Gid gid = Gid.of(Arrays.copyOfRange(record, RECORD_GID, RECORD_GID + GID_BYTES));
    return new Key(
        in.getInt(0),
        in.getInt(4),
        in.getInt(8),
        in.getInt(12),
        in.getInt(16),
        in.getLong(24),
        gid.equals(Gid.ZERO) ? null : gid);
  }

  /** {@return the lines that perftest prints} */
  String lines(String side, Verb verb) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT, " %s address: LID %04x QPN 0x%04x PSN 0x%x", side, lid, qpn, psn));
    if (verb == Verb.READ) {
      text.append(String.format(Locale.ROOT, " OUT 0x%02x", outstanding));
    }
    if (verb == Verb.READ || verb == Verb.WRITE) {
      text.append(String.format(Locale.ROOT, " RKey 0x%06x VAddr 0x%014x", rkey, address));
    }
    if (gid != null) {
      List<String> bytes = new ArrayList<>();
      for (byte b : gid.toBytes()) {
        bytes.add(String.format(Locale.ROOT, "%02d", b & 0xff)); // decimal, as in the original
      }
      text.append("\n GID: ").append(String.join(":", bytes));
    }
    return text.toString();
  }
}
