package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.LftRecord;
import ib.core.sa.LinkRecord;
import ib.core.sa.McMemberRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.PathRecord;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.ServiceRecord;
import ib.core.sa.SmInfoRecord;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Formats records of subnet administration as {@code saquery} dumps them. */
final class RecordText {
  private final StringBuilder out;
  private final int width;

  RecordText(String heading, int width) {
    this.out = new StringBuilder(heading);
    this.width = width;
  }

  RecordText row(String name, Object value) {
    out.append("\n\t\t").append(name).append(".".repeat(width - name.length())).append(value);
    return this;
  }

  RecordText hex(String name, long value) {
    return row(name, String.format("0x%X", value));
  }

  RecordText guid(String name, long value) {
    return row(name, AttributeText.hex(value, 16));
  }

  String text() {
    return out.toString();
  }

  static String node(NodeRecord r) {
    return new RecordText("NodeRecord dump:", 24)
        .row("lid", r.value(NodeRecord.Field.LID))
        .row("reserved", "0x0")
        .row("base_version", "0x" + r.value(NodeRecord.Field.BASE_VERSION))
        .row("class_version", "0x" + r.value(NodeRecord.Field.CLASS_VERSION))
        .row("node_type", AttributeText.nodeType(r.value(NodeRecord.Field.NODE_TYPE)))
        .row("num_ports", r.value(NodeRecord.Field.NUM_PORTS))
        .guid("sys_guid", r.number(NodeRecord.Field.SYSTEM_IMAGE_GUID))
        .guid("node_guid", r.number(NodeRecord.Field.NODE_GUID))
        .guid("port_guid", r.number(NodeRecord.Field.PORT_GUID))
        .hex("partition_cap", r.number(NodeRecord.Field.PARTITION_CAP))
        .hex("device_id", r.number(NodeRecord.Field.DEVICE_ID))
        .hex("revision", r.number(NodeRecord.Field.REVISION))
        .row("port_num", r.value(NodeRecord.Field.LOCAL_PORT_NUM))
        .hex("vendor_id", r.number(NodeRecord.Field.VENDOR_ID))
        .row("NodeDescription", r.text(NodeRecord.Field.NODE_DESCRIPTION))
        .text();
  }

  static String path(PathRecord r) {
    long service =
        r.number(PathRecord.Field.SERVICE_ID_HIGH) << 32
            | r.number(PathRecord.Field.SERVICE_ID_LOW);
    return new RecordText("PathRecord dump:", 24)
        .guid("service_id", service)
        .row("dgid", r.gid(PathRecord.Field.DGID))
        .row("sgid", r.gid(PathRecord.Field.SGID))
        .row("dlid", r.value(PathRecord.Field.DLID))
        .row("slid", r.value(PathRecord.Field.SLID))
        .hex(
            "hop_flow_raw",
            r.number(PathRecord.Field.RAW_TRAFFIC) << 31
                | r.number(PathRecord.Field.FLOW_LABEL) << 8
                | r.number(PathRecord.Field.HOP_LIMIT))
        .hex("tclass", r.number(PathRecord.Field.TCLASS))
        .hex(
            "num_path_revers",
            r.number(PathRecord.Field.REVERSIBLE) << 7 | r.number(PathRecord.Field.NUMB_PATH))
        .hex("pkey", r.number(PathRecord.Field.PKEY))
        .hex("qos_class", r.number(PathRecord.Field.QOS_CLASS))
        .hex("sl", r.number(PathRecord.Field.SL))
        .hex(
            "mtu",
            selected(r.number(PathRecord.Field.MTU_SELECTOR), r.number(PathRecord.Field.MTU)))
        .hex(
            "rate",
            selected(r.number(PathRecord.Field.RATE_SELECTOR), r.number(PathRecord.Field.RATE)))
        .hex(
            "pkt_life",
            selected(
                r.number(PathRecord.Field.PACKET_LIFE_TIME_SELECTOR),
                r.number(PathRecord.Field.PACKET_LIFE_TIME)))
        .hex("preference", r.number(PathRecord.Field.PREFERENCE))
        .row("resv2", "0x000000000000")
        .text();
  }

  private static long selected(long selector, long value) {
    return selector << 6 | value;
  }

  static String member(McMemberRecord r) {
    return new RecordText("MCMember Record dump:", 24)
        .row("MGID", r.gid(McMemberRecord.Field.MGID))
        .row("PortGid", r.gid(McMemberRecord.Field.PORT_GID))
        .row("qkey", low(r.number(McMemberRecord.Field.QKEY)))
        .row("mlid", low(r.number(McMemberRecord.Field.MLID)))
        .row("mtu", low(mtu(r)))
        .row("TClass", low(r.number(McMemberRecord.Field.TCLASS)))
        .row("pkey", low(r.number(McMemberRecord.Field.PKEY)))
        .row("rate", low(rate(r)))
        .row(
            "pkt_life",
            low(
                selected(
                    r.number(McMemberRecord.Field.PACKET_LIFE_TIME_SELECTOR),
                    r.number(McMemberRecord.Field.PACKET_LIFE_TIME))))
        .row("SL", low(r.number(McMemberRecord.Field.SL)))
        .row("FlowLabel", low(r.number(McMemberRecord.Field.FLOW_LABEL)))
        .row("HopLimit", low(r.number(McMemberRecord.Field.HOP_LIMIT)))
        .row("Scope", low(r.number(McMemberRecord.Field.SCOPE)))
        .row("JoinState", low(r.number(McMemberRecord.Field.JOIN_STATE)))
        .row("ProxyJoin", low(r.number(McMemberRecord.Field.PROXY_JOIN)))
        .text();
  }

  private static String low(long value) {
    return "0x" + Long.toHexString(value);
  }

  private static long mtu(McMemberRecord r) {
    return selected(
        r.number(McMemberRecord.Field.MTU_SELECTOR), r.number(McMemberRecord.Field.MTU));
  }

  private static long rate(McMemberRecord r) {
    return selected(
        r.number(McMemberRecord.Field.RATE_SELECTOR), r.number(McMemberRecord.Field.RATE));
  }

  /** {@return the text of {@code -g}} */
  static String group(McMemberRecord r) {
    return new RecordText("MCMemberRecord group dump:", 24)
        .row("MGID", r.gid(McMemberRecord.Field.MGID))
        .hex("Mlid", r.number(McMemberRecord.Field.MLID))
        .hex("Mtu", mtu(r))
        .hex("pkey", r.number(McMemberRecord.Field.PKEY))
        .hex("Rate", rate(r))
        .hex("SL", r.number(McMemberRecord.Field.SL))
        .text();
  }

  /** {@return the text of {@code -m}} */
  static String member(McMemberRecord r, String description) {
    long state =
        r.number(McMemberRecord.Field.SCOPE) << 4 | r.number(McMemberRecord.Field.JOIN_STATE);
    return new RecordText("MCMemberRecord member dump:", 24)
        .row("MGID", r.gid(McMemberRecord.Field.MGID))
        .hex("Mlid", r.number(McMemberRecord.Field.MLID))
        .row("PortGid", r.gid(McMemberRecord.Field.PORT_GID))
        .hex("ScopeState", state)
        .hex("ProxyJoin", r.number(McMemberRecord.Field.PROXY_JOIN))
        .row("NodeDescription", description)
        .text();
  }

  /** {@return the text of {@code -m} with a group} */
  static String port(McMemberRecord r, String description) {
    String gid = r.gid(McMemberRecord.Field.PORT_GID) + " (" + description + ")";
    return new RecordText("", 24).row("PortGid", gid).text().substring(1);
  }

  static String link(LinkRecord r) {
    return new RecordText("LinkRecord dump:", 27)
        .row("FromLID", r.value(LinkRecord.Field.FROM_LID))
        .row("FromPort", r.value(LinkRecord.Field.FROM_PORT))
        .row("ToPort", r.value(LinkRecord.Field.TO_PORT))
        .row("ToLID", r.value(LinkRecord.Field.TO_LID))
        .text();
  }

  static String manager(SmInfoRecord r) {
    return new RecordText("SMInfoRecord dump:\n\t\tRID", 22)
        .row("LID", r.value(SmInfoRecord.Field.LID) + "\n\t\tSMInfo dump:")
        .guid("GUID", r.number(SmInfoRecord.Field.GUID))
        .guid("SM_Key", r.number(SmInfoRecord.Field.SM_KEY))
        .row("ActCount", r.number(SmInfoRecord.Field.ACT_COUNT))
        .row("Priority", r.value(SmInfoRecord.Field.PRIORITY))
        .row("SMState", r.value(SmInfoRecord.Field.SM_STATE))
        .text();
  }

  /** {@return the text of {@code -s}: the LID and the fields that the original prints} */
  static String portOfManager(PortInfoRecord r) {
    return new RecordText("PortInfoRecord dump:", 24)
        .row("EndPortLid", r.value(PortInfoRecord.Field.LID))
        .row("PortNum", r.value(PortInfoRecord.Field.PORT_NUM))
        .row("base_lid", r.value(PortInfoRecord.Field.BASE_LID))
        .row("master_sm_base_lid", r.value(PortInfoRecord.Field.SM_LID))
        .hex("capability_mask", r.number(PortInfoRecord.Field.CAPABILITY_MASK))
        .text();
  }

  static String port(PortInfoRecord r) {
    MemorySegment info = MemorySegment.ofArray(r.raw(PortInfoRecord.Field.PORT_INFO));
    String dump = AttributeText.port(info, false);
    // the lines of fields are indented by two tabs, those of a mask are not
    String indented = dump.replaceAll("(?m)^(?!\t)", "\t\t");
    return new RecordText("PortInfoRecord dump:\n\tRID", 24)
            .row("EndPortLid", r.value(PortInfoRecord.Field.LID))
            .row("PortNum", r.value(PortInfoRecord.Field.PORT_NUM))
            .hex("Options", r.number(PortInfoRecord.Field.OPTIONS))
            .text()
        + "\n\tPortInfo dump:\n"
        + indented;
  }

  static String forwarding(LftRecord r) {
    int block = r.value(LftRecord.Field.BLOCK_NUM);
    RecordText text =
        new RecordText("LFT Record dump:", 27)
            .row("LID", r.value(LftRecord.Field.LID))
            .row("Block", block);
    text.out.append("\n\t\tLFT:\n\t\tLID\tPort Number");
    MemorySegment table = MemorySegment.ofArray(r.raw(LftRecord.Field.LFT));
    for (int i = 0; i < table.byteSize(); i++) {
      text.out.append("\n\t\t").append(block * table.byteSize() + i).append('\t');
      text.out.append(MadField.read(table, i * 8, 8));
    }
    return text.text() + "\n";
  }

  static String service(ServiceRecord r) {
    return new RecordText("ServiceRecord dump:", 26)
        .guid("ServiceID", r.number(ServiceRecord.Field.SERVICE_ID))
        .row("ServiceGID", r.gid(ServiceRecord.Field.SERVICE_GID))
        .hex("ServiceP_Key", r.number(ServiceRecord.Field.SERVICE_PKEY))
        .hex("ServiceLease", r.number(ServiceRecord.Field.SERVICE_LEASE))
        .row("ServiceKey", "0x" + HexFormat.of().formatHex(r.raw(ServiceRecord.Field.SERVICE_KEY)))
        .row("ServiceName", r.text(ServiceRecord.Field.SERVICE_NAME))
        .data(r, "8", 16, ServiceRecord.Field.DATA8_0)
        .data(r, "16", 8, ServiceRecord.Field.DATA16_0)
        .data(r, "32", 4, ServiceRecord.Field.DATA32_0)
        .data(r, "64", 2, ServiceRecord.Field.DATA64_0)
        .text();
  }

  private RecordText data(ServiceRecord r, String bits, int count, ServiceRecord.Field first) {
    for (int i = 0; i < count; i++) {
      long value = r.number(ServiceRecord.Field.values()[first.ordinal() + i]);
      String name = "ServiceData" + bits + "." + (i + 1);
      if (bits.equals("64")) {
        guid(name, value);
      } else {
        hex(name, value);
      }
    }
    return this;
  }

  static String administrator(ClassPortInfo r) {
    return new RecordText("SA ClassPortInfo:", 25)
        .row("Base version", r.value(ClassPortInfo.Field.BASE_VERSION))
        .row("Class version", r.value(ClassPortInfo.Field.CLASS_VERSION))
        .row(
            "Capability mask",
            String.format("0x%04X", r.value(ClassPortInfo.Field.CAPABILITY_MASK)))
        .row(
            "Capability mask 2",
            String.format("0x%08X", r.value(ClassPortInfo.Field.CAPABILITY_MASK2)))
        .row(
            "Response time value",
            String.format("0x%02X", r.value(ClassPortInfo.Field.RESP_TIME_VALUE)))
        .row("Redirect GID", r.gid(ClassPortInfo.Field.REDIRECT_GID))
        .row(
            "Redirect TC/SL/FL",
            String.format(
                "0x%08X",
                route(
                    r.value(ClassPortInfo.Field.REDIRECT_TCLASS),
                    r.value(ClassPortInfo.Field.REDIRECT_SL),
                    r.value(ClassPortInfo.Field.REDIRECT_FLOW_LABEL))))
        .row("Redirect LID", r.value(ClassPortInfo.Field.REDIRECT_LID))
        .row("Redirect PKey", word(r.value(ClassPortInfo.Field.REDIRECT_PKEY)))
        .row("Redirect QP", String.format("0x%08X", r.value(ClassPortInfo.Field.REDIRECT_QPN)))
        .row("Redirect QKey", String.format("0x%08X", r.value(ClassPortInfo.Field.REDIRECT_QKEY)))
        .row("Trap GID", r.gid(ClassPortInfo.Field.TRAP_GID))
        .row(
            "Trap TC/SL/FL",
            String.format(
                "0x%08X",
                route(
                    r.value(ClassPortInfo.Field.TRAP_TCLASS),
                    r.value(ClassPortInfo.Field.TRAP_SL),
                    r.value(ClassPortInfo.Field.TRAP_FLOW_LABEL))))
        .row("Trap LID", r.value(ClassPortInfo.Field.TRAP_LID))
        .row("Trap PKey", word(r.value(ClassPortInfo.Field.TRAP_PKEY)))
        .row(
            "Trap HL/QP",
            String.format(
                "0x%08X",
                r.value(ClassPortInfo.Field.TRAP_HOP_LIMIT) << 24
                    | r.value(ClassPortInfo.Field.TRAP_QPN)))
        .row("Trap QKey", String.format("0x%08X", r.value(ClassPortInfo.Field.TRAP_QKEY)))
        .text();
  }

  private static int route(int tclass, int sl, int flowLabel) {
    return tclass << 24 | sl << 20 | flowLabel;
  }

  private static String word(int value) {
    return String.format("0x%04X", value);
  }
}
