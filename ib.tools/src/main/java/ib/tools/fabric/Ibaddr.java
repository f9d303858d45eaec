package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.Gid;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.StringJoiner;

/** {@code ibaddr}: GID and LIDs of a port. */
final class Ibaddr {
  private Ibaddr() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    Route to =
        line.operands().isEmpty()
            ? new Route.Directed(List.of())
            : Destination.of("ibaddr", query, line, line.operands().getFirst());
    MemorySegment port = query.get(to, SmpAttribute.PORT_INFO, 0);
    boolean decimal = line.has("Lid_show");
    boolean all = !line.has("gid_show") && !line.has("lid_show") && !decimal;
    StringJoiner out = new StringJoiner(" ");
    if (all || line.has("gid_show")) {
      long guid = MadField.read(query.get(to, SmpAttribute.GUID_INFO, 0), 0, 64);
      out.add("GID " + new Gid(PortInfo.GID_PREFIX.of(port), guid));
      if (!all && !line.has("lid_show") && !decimal) {
        out.add(""); // the original prints a blank there
      }
    }
    if (all || line.has("lid_show") || decimal) {
      int first = PortInfo.LID.in(port);
      int last = first + (1 << PortInfo.LMC.in(port)) - 1;
      String form = decimal ? "LID start %d end %d" : "LID start 0x%x end 0x%x";
      out.add(String.format(form, first, last));
    }
    return out.toString();
  }
}
