package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** {@code ibroute}: the forwarding tables of a switch. */
final class Ibroute {
  private static final int LFT_BLOCK = 64;
  private static final int MFT_BLOCK = 32;
  private static final int MFT_PORTS = 16;
  private static final int NO_PORT = 255;
  private static final int FIRST_MLID = 0xc000;

  private static final int LID_LAST = 0xbfff;
  private static final int MAX_LID = 0xffff;

  private Ibroute() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    if (line.operands().isEmpty()) {
      throw line.usage();
    }
    Route to = Destination.of("ibroute", query, line, line.operands().getFirst());
    MemorySegment node = query.get(to, SmpAttribute.NODE_INFO, 0);
    if (NodeInfo.NODE_TYPE.in(node) != Scan.SWITCH) {
      throw new NoAnswerException("dump tables: not a switch");
    }
    MemorySegment info = query.get(to, SmpAttribute.SWITCH_INFO, 0);
    String who =
        String.format(
            "of switch %s guid 0x%016x (%s):",
            to.text(),
            NodeInfo.NODE_GUID.of(node),
            AttributeText.description(query.get(to, SmpAttribute.NODE_DESCRIPTION, 0)));
    return line.has("Multicast")
        ? multicast(query, to, node, info, who, line)
        : unicast(query, to, info, who, line);
  }

  /** {@return a bound of the shown range from an operand; {@code otherwise} without the operand} */
  private static int lid(Parsed line, int operand, int otherwise) {
    List<String> all = line.operands();
    long given = all.size() > operand ? Destination.number(all.get(operand)) : 0;
    return given > 0 && given <= MAX_LID ? (int) given : otherwise;
  }

  private static String unicast(
      SmpQuery query, Route to, MemorySegment info, String who, Parsed line)
      throws NoAnswerException {
    int first = lid(line, 1, 0);
    int top = Math.min(SwitchInfo.LINEAR_FDB_TOP.in(info), lid(line, 2, LID_LAST));
    List<String> lines = new ArrayList<>();
    lines.add(String.format("Unicast lids [0x%x-0x%x] %s", first, top, who));
    lines.add("  Lid  Out   Destination");
    lines.add("       Port     Info ");
    int valid = 0;
    for (int block = first / LFT_BLOCK; block * LFT_BLOCK <= top; block++) {
      MemorySegment data = query.get(to, SmpAttribute.LINEAR_FORWARDING, block);
      for (int i = 0; i < LFT_BLOCK && block * LFT_BLOCK + i <= top; i++) {
        int lid = block * LFT_BLOCK + i;
        int port = (int) MadField.read(data, i * 8, 8);
        if (lid >= first && (port != NO_PORT || line.has("all"))) {
          valid++;
          String entry = String.format("0x%04x %03d ", lid, port);
          boolean named = !line.has("no_dests") && lid != 0 && port != NO_PORT;
          lines.add(entry + (named ? destination(query, lid) : ""));
        }
      }
    }
    lines.add(valid + " valid lids dumped ");
    return String.join("\n", lines);
  }

  private static String destination(SmpQuery query, int lid) {
    try {
      Route to = new Route.Lid(lid);
      MemorySegment node = query.get(to, SmpAttribute.NODE_INFO, 0);
      return String.format(
          ": (%s portguid 0x%016x: '%s')",
          AttributeText.nodeType(NodeInfo.NODE_TYPE.in(node)),
          NodeInfo.PORT_GUID.of(node),
          AttributeText.description(query.get(to, SmpAttribute.NODE_DESCRIPTION, 0)));
    } catch (NoAnswerException e) {
      return ": (node info on lid " + lid + " failed: " + e.getMessage() + ")";
    }
  }

  private static String multicast(
      SmpQuery query, Route to, MemorySegment node, MemorySegment info, String who, Parsed line)
      throws NoAnswerException {
    int cap = SwitchInfo.MULTICAST_FDB_CAP.in(info);
    int top = SwitchInfo.MULTICAST_FDB_TOP.in(info);
    int most = top >= FIRST_MLID ? top : FIRST_MLID + cap - 1;
    int first = Math.max(FIRST_MLID, lid(line, 1, FIRST_MLID));
    int last = Math.min(most, lid(line, 2, most));
    int ports = NodeInfo.NUM_PORTS.in(node);
    List<String> lines = new ArrayList<>();
    lines.add(String.format("Multicast mlids [0x%x-0x%x] %s", first, last, who));
    StringBuilder tens = new StringBuilder(" ".repeat(12));
    StringBuilder head = new StringBuilder("     Ports: ");
    for (int p = 0; p <= ports; p++) {
      tens.append(p % 10 == 0 ? String.valueOf(p / 10) : " ").append(' ');
      head.append(p % 10).append(' ');
    }
    if (ports > 9) {
      lines.add(tens.toString());
    }
    lines.add(head.toString());
    lines.add(" MLid");
    int valid = 0;
    int block = (first - FIRST_MLID) / MFT_BLOCK;
    for (; FIRST_MLID + block * MFT_BLOCK <= last; block++) {
      int[] members = members(query, to, block, ports);
      for (int i = 0; i < MFT_BLOCK; i++) {
        int mlid = FIRST_MLID + block * MFT_BLOCK + i;
        if (mlid >= first && mlid <= last && hasAny(members, i, ports)) {
          valid++;
          lines.add(row(mlid, members, i, ports));
        }
      }
    }
    lines.add(valid + " valid mlids dumped ");
    return String.join("\n", lines);
  }

  /** {@return a mask of 16 ports for each position and MLID of a block} */
  private static int[] members(SmpQuery query, Route to, int block, int ports)
      throws NoAnswerException {
    int positions = ports / MFT_PORTS + 1;
    int[] masks = new int[positions * MFT_BLOCK];
    for (int position = 0; position < positions; position++) {
      MemorySegment data = query.get(to, SmpAttribute.MULTICAST_FORWARDING, position << 28 | block);
      for (int i = 0; i < MFT_BLOCK; i++) {
        masks[position * MFT_BLOCK + i] = (int) MadField.read(data, i * MFT_PORTS, MFT_PORTS);
      }
    }
    return masks;
  }

  private static boolean has(int[] masks, int mlid, int port) {
    int mask = masks[port / MFT_PORTS * MFT_BLOCK + mlid];
    return (mask >> port % MFT_PORTS & 1) != 0;
  }

  private static boolean hasAny(int[] masks, int mlid, int ports) {
    for (int p = 0; p <= ports; p++) {
      if (has(masks, mlid, p)) {
        return true;
      }
    }
    return false;
  }

  private static String row(int mlid, int[] masks, int i, int ports) {
    StringBuilder out = new StringBuilder(String.format("0x%04x      ", mlid));
    for (int p = 0; p <= ports; p++) {
      out.append(has(masks, i, p) ? "x " : "  ");
    }
    return out.toString();
  }
}
