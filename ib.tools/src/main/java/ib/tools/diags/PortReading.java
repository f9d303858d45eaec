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
 * @param lid LID of the port
 * @param port from 1; 255 for the sum of all ports
 * @param form classic or extended attribute
 * @param capMask what the performance management agent can do (IBA 16.1.3.1)
 * @param counters the values, in order
 */
record PortReading(
    String device, int lid, int port, Form form, int capMask, Map<PortCounter, Long> counters)
    implements Printable, JsonView {
  static final int ALL_PORTS = 255;
  private static final int NAME_WIDTH = 33;

  @Override
  public String text() {
    StringBuilder out = new StringBuilder("# ").append(attribute(form));
    out.append(String.format(" counters: Lid %d port %d", lid, port));
    if (form == Form.CLASSIC || form == Form.EXTENDED) {
      out.append(String.format(" (CapMask: 0x%02X", capMask));
      out.append(form == Form.EXTENDED ? " CapMask2: 0x0000000)" : ")");
    }
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

  /** {@return what the original calls an attribute} */
  static String attribute(Form form) {
    return switch (form) {
      case CLASSIC -> "Port";
      case EXTENDED -> "Port extended";
      case XMIT_DATA_SL -> "PortXmitDataSL";
      case RCV_DATA_SL -> "PortRcvDataSL";
      case XMIT_DISCARD_DETAILS -> "PortXmitDiscardDetails";
      case RCV_ERROR_DETAILS -> "PortRcvErrorDetails";
    };
  }

  /** Adds a field as libibmad prints it. */
  static void line(StringBuilder out, String name, String value) {
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
