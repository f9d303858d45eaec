package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.SwitchInfo;
import ib.core.sa.GuidInfoRecord;
import ib.core.sa.InformInfo;
import ib.core.sa.InformInfoRecord;
import ib.core.sa.MftRecord;
import ib.core.sa.PkeyTableRecord;
import ib.core.sa.SlToVlRecord;
import ib.core.sa.SwitchInfoRecord;
import ib.core.sa.VlArbitrationRecord;
import java.lang.foreign.MemorySegment;

/** Formats records of tables as {@code saquery} dumps them. */
final class TableText {
  private static final int WIDTH = 27;
  private static final int SWITCH_WIDTH = 40;
  private static final int INFORM_WIDTH = 24;
  private static final int LANES = 16;
  private static final int PKEYS_PER_LINE = 8;
  private static final int MLID_FIRST = 0xc000;

  private TableText() {}

  static String guids(GuidInfoRecord r) {
    RecordText text =
        new RecordText("GUIDInfo Record dump:", WIDTH)
            .row("LID", r.value(GuidInfoRecord.Field.LID))
            .row("Block", r.value(GuidInfoRecord.Field.BLOCK_NUM));
    MemorySegment table = MemorySegment.ofArray(r.raw(GuidInfoRecord.Field.GUIDS));
    for (int i = 0; i < table.byteSize() / 8; i++) {
      text.guid("GUID " + i, MadField.read(table, i * 64, 64));
    }
    return text.text();
  }

  static String lanes(SlToVlRecord r) {
    MemorySegment table = MemorySegment.ofArray(r.raw(SlToVlRecord.Field.TABLE));
    StringBuilder levels = new StringBuilder("\n\t\tSL:");
    StringBuilder lanes = new StringBuilder("\n\t\tVL:");
    for (int i = 0; i < LANES; i++) {
      levels.append(String.format("%2d|", i));
      lanes.append(String.format("%2d|", MadField.read(table, i * 4, 4)));
    }
    return new RecordText("SL2VLTableRecord dump:", WIDTH)
            .row("LID", r.value(SlToVlRecord.Field.LID))
            .row("InPort", r.value(SlToVlRecord.Field.INPUT_PORT_NUM))
            .row("OutPort", r.value(SlToVlRecord.Field.OUTPUT_PORT_NUM))
            .text()
        + levels
        + lanes;
  }

  static String arbitration(VlArbitrationRecord r) {
    MemorySegment table = MemorySegment.ofArray(r.raw(VlArbitrationRecord.Field.TABLE));
    StringBuilder text =
        new StringBuilder(
            new RecordText("VLArbTableRecord dump:", WIDTH)
                .row("LID", r.value(VlArbitrationRecord.Field.LID))
                .row("Port", r.value(VlArbitrationRecord.Field.OUTPUT_PORT_NUM))
                .row("Block", r.value(VlArbitrationRecord.Field.BLOCK_NUM))
                .text());
    for (int from = 0; from < table.byteSize() / 2; from += LANES) {
      StringBuilder lanes = new StringBuilder("\n\t\tVL    :");
      StringBuilder weights = new StringBuilder("\n\t\tWeight:");
      for (int i = from; i < from + LANES; i++) {
        lanes.append(String.format("%2d|", MadField.read(table, i * 16 + 4, 4)));
        weights.append(String.format("%2d|", MadField.read(table, i * 16 + 8, 8)));
      }
      text.append(lanes).append(weights);
    }
    return text.toString();
  }

  static String switchInfo(SwitchInfoRecord r) {
    MemorySegment info = MemorySegment.ofArray(r.raw(SwitchInfoRecord.Field.SWITCH_INFO));
    return new RecordText("SwitchInfoRecord dump:\n\t\tRID", SWITCH_WIDTH)
        .row("LID", r.value(SwitchInfoRecord.Field.LID) + "\n\t\tSwitchInfo dump:")
        .hex("LinearFDBCap", SwitchInfo.LINEAR_FDB_CAP.of(info))
        .hex("RandomFDBCap", SwitchInfo.RANDOM_FDB_CAP.of(info))
        .hex("MulticastFDBCap", SwitchInfo.MULTICAST_FDB_CAP.of(info))
        .hex("LinearFDBTop", SwitchInfo.LINEAR_FDB_TOP.of(info))
        .row("DefaultPort", SwitchInfo.DEFAULT_PORT.of(info))
        .row("DefaultMulticastPrimaryPort", SwitchInfo.DEFAULT_MCAST_PRIMARY_PORT.of(info))
        .row("DefaultMulticastNotPrimaryPort", SwitchInfo.DEFAULT_MCAST_NOT_PRIMARY_PORT.of(info))
        .hex("LifeTimeValue/PortStateChange/OpSL2VL", MadField.read(info, 88, 8))
        .hex("LIDsPerPort", SwitchInfo.LIDS_PER_PORT.of(info))
        .hex("PartitionEnforcementCap", SwitchInfo.PARTITION_ENFORCEMENT_CAP.of(info))
        .hex("flags", MadField.read(info, 128, 8))
        .hex("MulticastFDBTop", SwitchInfo.MULTICAST_FDB_TOP.of(info))
        .text();
  }

  static String pkeys(PkeyTableRecord r) {
    StringBuilder text =
        new StringBuilder(
            new RecordText("PKeyTableRecord dump:", WIDTH)
                .row("LID", r.value(PkeyTableRecord.Field.LID))
                .row("Port", r.value(PkeyTableRecord.Field.PORT_NUM))
                .row("Block", r.value(PkeyTableRecord.Field.BLOCK_NUM))
                .text());
    text.append("\n\t\tPKey Table:");
    MemorySegment table = MemorySegment.ofArray(r.raw(PkeyTableRecord.Field.PKEY_TABLE));
    for (int i = 0; i < table.byteSize() / 2; i++) {
      text.append(i % PKEYS_PER_LINE == 0 ? "\n\t\t" : " ");
      text.append(String.format("0x%04x", MadField.read(table, i * 16, 16)));
    }
    return text.append('\n').toString();
  }

  static String multicast(MftRecord r) {
    int block = r.value(MftRecord.Field.BLOCK_NUM);
    StringBuilder text =
        new StringBuilder(
            new RecordText("MFT Record dump:", WIDTH)
                .row("LID", r.value(MftRecord.Field.LID))
                .row("Position", r.value(MftRecord.Field.POSITION))
                .row("Block", block)
                .text());
    text.append("\n\t\tMFT:\n\t\tMLID\tPort Mask");
    MemorySegment table = MemorySegment.ofArray(r.raw(MftRecord.Field.MFT));
    long masks = table.byteSize() / 2;
    for (int i = 0; i < masks; i++) {
      text.append(
          String.format(
              "\n\t\t0x%04x\t0x%04x",
              MLID_FIRST + block * masks + i, MadField.read(table, i * 16, 16)));
    }
    return text.append('\n').toString();
  }

  static String subscription(InformInfoRecord r, boolean showKeys) {
    InformInfo info =
        new InformInfo().read(MemorySegment.ofArray(r.raw(InformInfoRecord.Field.INFORM_INFO)), 0);
    return new RecordText("InformInfoRecord dump:\n\t\tRID", INFORM_WIDTH)
        .row("SubscriberGID", r.gid(InformInfoRecord.Field.SUBSCRIBER_GID))
        .row(
            "SubscriberEnum",
            String.format(
                "0x%X\n\t\tInformInfo dump:", r.value(InformInfoRecord.Field.SUBSCRIBER_ENUM)))
        .row("gid", info.gid(InformInfo.Field.GID))
        .row("lid_range_begin", info.value(InformInfo.Field.LID_RANGE_BEGIN))
        .row("lid_range_end", info.value(InformInfo.Field.LID_RANGE_END))
        .hex("is_generic", info.value(InformInfo.Field.IS_GENERIC))
        .hex("subscribe", info.value(InformInfo.Field.SUBSCRIBE))
        .hex("trap_type", info.value(InformInfo.Field.TYPE))
        .row("trap_num", info.value(InformInfo.Field.TRAP_NUMBER))
        .row(
            "qpn",
            showKeys
                ? String.format("0x%06X", info.value(InformInfo.Field.QPN))
                : "<not displayed>")
        .hex("resp_time_val", info.value(InformInfo.Field.RESP_TIME_VALUE))
        .row("node_type", String.format("0x%06X", info.value(InformInfo.Field.PRODUCER_TYPE)))
        .text();
  }
}
