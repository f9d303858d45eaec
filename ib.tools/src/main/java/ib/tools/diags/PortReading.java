package ib.tools.diags;

import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The counters of a port at one moment, printed as libibmad dumps the attribute.
 *
 * @param device device name
 * @param lid its LID
 * @param port from 1, or 255 for the sum of all
 * @param form which attribute
 * @param counters the values, in order
 */
record PortReading(String device, int lid, int port, Form form, Map<PortCounter, Long> counters)
    implements Printable, JsonView {
  static final int ALL_PORTS = 255;
  private static final int NAME_WIDTH = 33;
  private static final int CAP_MASK = 0x1200; // extended width, PortXmitWait (IBA 16.1.3.1)

  @Override
  public String text() {
    boolean extended = form == Form.EXTENDED;
    StringBuilder out = new StringBuilder("# Port ").append(extended ? "extended " : "");
    out.append(String.format("counters: Lid %d port %d (CapMask: 0x%02X", lid, port, CAP_MASK));
    out.append(extended ? " CapMask2: 0x0000000)" : ")");
    line(out, "PortSelect", String.valueOf(port));
    line(out, "CounterSelect", "0x0000");
    counters.forEach(
        (counter, value) -> {
          if (counter == PortCounter.LOCAL_LINK_INTEGRITY_ERRORS) {
            line(out, "CounterSelect2", "0x00");
          }
          line(out, counter.label(), Long.toUnsignedString(value));
        });
    return out.toString();
  }

  private static void line(StringBuilder out, String name, String value) {
    out.append('\n').append(name).append(':').repeat('.', NAME_WIDTH - 1 - name.length());
    out.append(value);
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("ifname", device);
    members.put("lid", lid);
    members.put("port", port);
    counters.forEach((counter, value) -> members.put(counter.label(), value));
    return members;
  }
}
