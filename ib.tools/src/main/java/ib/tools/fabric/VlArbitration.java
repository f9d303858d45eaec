package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Formats the virtual lane arbitration tables of a port as {@code smpquery vlarb} prints them. */
final class VlArbitration {
  private static final int ENTRIES = 32;
  private static final int LOW = 1;
  private static final int HIGH = 3;

  private VlArbitration() {}

  static String text(SmpQuery query, Route to, String operation, int port)
      throws NoAnswerException {
    if (port == 0) { // port 0 of a switch, or the port where the query arrives
      MemorySegment node = Smpquery.get(query, to, operation, SmpAttribute.NODE_INFO, 0);
      if (NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH) {
        MemorySegment info = Smpquery.get(query, to, operation, SmpAttribute.SWITCH_INFO, 0);
        if (SwitchInfo.ENHANCED_PORT_0.in(info) == 0) {
          return "# No VLArbitration tables (BSP0): " + to.text() + " port 0";
        }
      }
    }
    MemorySegment info = Smpquery.get(query, to, operation, SmpAttribute.PORT_INFO, port);
    int low = PortInfo.VL_ARB_LOW_CAP.in(info);
    int high = PortInfo.VL_ARB_HIGH_CAP.in(info);
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            "# VLArbitration tables: %s port %d LowCap %d HighCap %d", to.text(), port, low, high));
    lines.addAll(table(query, to, operation, port, LOW, low));
    lines.addAll(table(query, to, operation, port, HIGH, high));
    return String.join("\n", lines);
  }

  private static List<String> table(
      SmpQuery query, Route to, String operation, int port, int block, int count)
      throws NoAnswerException {
    List<String> lines = new ArrayList<>();
    if (count > 0) {
      lines.add("# " + (block == LOW ? "Low" : "High") + " priority VL Arbitration Table:");
    }
    for (int done = 0; done < count; done += ENTRIES) {
      int modifier = block + done / ENTRIES << 16 | port;
      MemorySegment data = get(query, to, operation, modifier);
      StringBuilder lanes = new StringBuilder("VL    : |");
      StringBuilder weights = new StringBuilder("WEIGHT: |");
      for (int i = 0; i < Math.min(ENTRIES, count - done); i++) {
        lanes.append(String.format("0x%-2x|", MadField.read(data, i * 16 + 4, 4)));
        weights.append(String.format("0x%-2x|", MadField.read(data, i * 16 + 8, 8)));
      }
      lines.add(lanes.toString());
      lines.add(weights.toString());
    }
    return lines;
  }

  private static MemorySegment get(SmpQuery query, Route to, String operation, int modifier)
      throws NoAnswerException {
    try {
      return query.get(to, SmpAttribute.VL_ARBITRATION, modifier);
    } catch (NoAnswerException e) {
      throw new NoAnswerException("operation " + operation + ": vl arb query failed", e);
    }
  }
}
