package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** {@code smpquery}: an attribute of a node or a port. */
final class Smpquery {
  private static final int DESCRIPTION_WIDTH = 32;
  private static final int PKEYS = 32;
  private static final int GUIDS = 8;
  private static final int SLS = 16;
  private static final int IS_CAPABILITY_MASK_2_SUPPORTED = 1 << 15;
  private static final int IS_EXTENDED_SUPPORTED = 1 << 1;
  private static final List<String> MELLANOX =
      List.of("StateChangeEnable", "LinkSpeedSupported", "LinkSpeedEnabled", "LinkSpeedActive");

  private Smpquery() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    List<String> operands = line.operands();
    if (operands.size() < 2) {
      throw line.usage();
    }
    String operation = operands.getFirst();
    Route to = Destination.of("smpquery", query, line, operands.get(1));
    int port = operands.size() > 2 ? (int) Destination.number(operands.get(2)) : 0;
    return switch (operation.toLowerCase(Locale.ROOT)) {
      case "nodeinfo", "ni" ->
          heading("Node info: " + to.text())
              + AttributeText.node(get(query, to, operation, SmpAttribute.NODE_INFO, 0));
      case "nodedesc", "nd" -> description(query, to, operation);
      case "portinfo", "pi" ->
          heading("Port info: " + to.text() + " port " + port)
              + AttributeText.port(
                  get(query, to, operation, SmpAttribute.PORT_INFO, port), line.has("show_keys"));
      case "switchinfo", "si" ->
          heading("Switch info: " + to.text())
              + AttributeText.switchInfo(get(query, to, operation, SmpAttribute.SWITCH_INFO, 0));
      case "pkeytable", "pkeys" -> pkeys(query, to, operation, port);
      case "guidinfo", "gi" -> guids(query, to, operation);
      case "sl2vltable", "sl2vl" -> slToVl(query, to, operation, port);
      case "vlarbitration", "vlarb" -> VlArbitration.text(query, to, operation, port);
      case "portinfoextended", "pie" -> extended(query, to, operation, port);
      case "mlnxextportinfo", "mepi" -> mellanox(query, to, operation, port);
      default ->
          throw CommandException.iberror(
              "smpquery", "operation '" + operation + "' not supported", null);
    };
  }

  private static String heading(String text) {
    return "# " + text + "\n";
  }

  /**
   * Fails always: no node of this project has the attribute, and this command cannot decode another
   * node's.
   */
  private static String extended(SmpQuery query, Route to, String operation, int port)
      throws NoAnswerException {
    MemorySegment info = get(query, to, operation, SmpAttribute.PORT_INFO, port);
    boolean there =
        (PortInfo.CAPABILITY_MASK.in(info) & IS_CAPABILITY_MASK_2_SUPPORTED) != 0
            && (PortInfo.CAPABILITY_MASK_2.in(info) & IS_EXTENDED_SUPPORTED) != 0;
    throw new NoAnswerException(
        "operation "
            + operation
            + (there
                ? ": is not understood here, the original's is"
                : ": port info extended not supported"));
  }

  private static String mellanox(SmpQuery query, Route to, String operation, int port)
      throws NoAnswerException {
    MemorySegment info;
    try {
      info = query.get(to, SmpAttribute.MLNX_EXT_PORT_INFO, port);
    } catch (NoAnswerException e) {
      throw new NoAnswerException(
          "operation " + operation + ": Mellanox ext port info query failed", e);
    }
    StringBuilder out = new StringBuilder("# MLNX ext Port info: " + to.text() + " port " + port);
    for (int i = 0; i < MELLANOX.size(); i++) { // each value is the last byte of 32 bits
      String value = AttributeText.hex(MadField.read(info, i * 32 + 24, 8), 2);
      out.append('\n').append(AttributeText.line(MELLANOX.get(i), value));
    }
    return out.toString();
  }

  /** Reads an attribute; names the attribute in words if the query fails. */
  static MemorySegment get(
      SmpQuery query, Route to, String operation, SmpAttribute attribute, int modifier)
      throws NoAnswerException {
    try {
      return query.get(to, attribute, modifier);
    } catch (NoAnswerException e) {
      String what = attribute.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      throw new NoAnswerException(
          "operation " + operation + ": " + what + " query failed (" + e.getMessage() + ")", e);
    }
  }

  private static String description(SmpQuery query, Route to, String operation)
      throws NoAnswerException {
    String text =
        AttributeText.description(get(query, to, operation, SmpAttribute.NODE_DESCRIPTION, 0));
    return "Node Description:" + ".".repeat(Math.max(0, DESCRIPTION_WIDTH - text.length())) + text;
  }

  /** {@return the P_Key table} For a switch, the upper half of the modifier selects the port. */
  private static String pkeys(SmpQuery query, Route to, String operation, int port)
      throws NoAnswerException {
    MemorySegment node = get(query, to, operation, SmpAttribute.NODE_INFO, 0);
    boolean ofSwitch = NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH;
    int count = NodeInfo.PARTITION_CAP.in(node);
    if (ofSwitch && port != 0) {
      MemorySegment info = get(query, to, operation, SmpAttribute.SWITCH_INFO, 0);
      count = SwitchInfo.PARTITION_ENFORCEMENT_CAP.in(info);
    }
    List<String> lines = new ArrayList<>();
    for (int block = 0; block * PKEYS < count; block++) {
      int modifier = (ofSwitch ? port << 16 : 0) | block;
      MemorySegment data = get(query, to, operation, SmpAttribute.PKEY_TABLE, modifier);
      for (int row = 0; row < PKEYS && block * PKEYS + row < count; row += 8) {
        StringBuilder out = new StringBuilder(String.format("%4d:", block * PKEYS + row));
        for (int i = row; i < row + 8; i++) {
          out.append(String.format(" 0x%04x", MadField.read(data, i * 16, 16)));
        }
        lines.add(out.toString());
      }
    }
    lines.add(count + " pkeys capacity for this port");
    return String.join("\n", lines);
  }

  private static String guids(SmpQuery query, Route to, String operation) throws NoAnswerException {
    int count = PortInfo.GUID_CAP.in(get(query, to, operation, SmpAttribute.PORT_INFO, 0));
    List<String> lines = new ArrayList<>();
    for (int block = 0; block * GUIDS < count; block++) {
      MemorySegment data = get(query, to, operation, SmpAttribute.GUID_INFO, block);
      for (int i = 0; i < GUIDS && block * GUIDS + i < count; i += 2) {
        lines.add(
            String.format(
                "%4d: 0x%016x 0x%016x",
                block * GUIDS + i,
                MadField.read(data, i * 64, 64),
                MadField.read(data, (i + 1) * 64, 64)));
      }
    }
    lines.add(count + " guids capacity for this port");
    return String.join("\n", lines);
  }

  private static String slToVl(SmpQuery query, Route to, String operation, int port)
      throws NoAnswerException {
    MemorySegment node = get(query, to, operation, SmpAttribute.NODE_INFO, 0);
    boolean ofSwitch = NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH;
    StringJoiner head = new StringJoiner("|", "#                 SL: |", "|");
    for (int sl = 0; sl < SLS; sl++) {
      head.add(String.format("%2d", sl));
    }
    List<String> lines = new ArrayList<>(List.of("# SL2VL table: " + to.text(), head.toString()));
    int ins = ofSwitch ? NodeInfo.NUM_PORTS.in(node) : 0;
    for (int in = 0; in <= ins; in++) {
      int modifier = ofSwitch ? in << 8 | port : 0;
      MemorySegment data = get(query, to, operation, SmpAttribute.SL_TO_VL_MAPPING, modifier);
      StringJoiner row =
          new StringJoiner("|", String.format("ports: in %2d, out %2d: |", in, port), "|");
      for (int sl = 0; sl < SLS; sl++) {
        row.add(String.format("%2d", MadField.read(data, sl * 4, 4)));
      }
      lines.add(row.toString());
    }
    return String.join("\n", lines);
  }
}
