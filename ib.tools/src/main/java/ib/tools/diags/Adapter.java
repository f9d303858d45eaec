package ib.tools.diags;

import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A channel adapter as {@code ibstat} shows it.
 *
 * @param name device name
 * @param attr attributes
 * @param ports the ports to show; empty for the short form
 */
record Adapter(String name, DeviceAttr attr, List<Port> ports) implements Printable, JsonView {
  private static final int LINE = 64;

  /**
   * A port.
   *
   * @param number from 1
   * @param attr attributes
   * @param gid entry 0 of the GID table
   */
  record Port(int number, PortAttr attr, Gid gid) implements Printable {

    /** {@return the text of {@code ibstat device port}} */
    @Override
    public String text() {
      return "Port " + number + ":" + lines("\n");
    }

    String lines(String indent) {
      StringBuilder out = new StringBuilder(8 * LINE);
      line(out, indent, "State", state(attr.state()));
      line(out, indent, "Physical state", physState(attr.physState()));
      line(out, indent, "Rate", String.valueOf(LinkRate.of(attr).wholeGbps()));
      line(out, indent, "Base lid", String.valueOf(attr.lid()));
      line(out, indent, "LMC", String.valueOf(attr.lmc()));
      line(out, indent, "SM lid", String.valueOf(attr.smLid()));
      line(out, indent, "Capability mask", String.format("0x%08x", attr.capFlags()));
      line(out, indent, "Port GUID", String.format("0x%016x", gid.interfaceId()));
      boolean ib = attr.linkLayer() == LinkLayer.INFINIBAND;
      line(out, indent, "Link layer", ib ? "InfiniBand" : "Ethernet");
      return out.toString();
    }
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder("CA '").append(name).append('\'');
    line(out, "\n\t", "CA type", "");
    line(out, "\n\t", "Number of ports", String.valueOf(attr.physPortCount()));
    line(out, "\n\t", "Firmware version", attr.fwVer());
    line(out, "\n\t", "Hardware version", Integer.toHexString(attr.hwVer()));
    line(out, "\n\t", "Node GUID", String.format("0x%016x", attr.nodeGuid()));
    line(out, "\n\t", "System image GUID", String.format("0x%016x", attr.sysImageGuid()));
    for (Port p : ports) {
      out.append("\n\tPort ").append(p.number).append(':').append(p.lines("\n\t\t"));
    }
    return out.toString();
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ca", name);
    json.put("node_guid", String.format("0x%016x", attr.nodeGuid()));
    json.put("ports", ports);
    return json;
  }

  private static void line(StringBuilder out, String indent, String name, String value) {
    out.append(indent).append(name).append(": ").append(value);
  }

  private static String state(PortState state) {
    return switch (state) {
      case NOP -> "No state change";
      case DOWN -> "Down";
      case INIT -> "Initializing";
      case ARMED -> "Armed";
      case ACTIVE -> "Active";
      case ACTIVE_DEFER -> "Active deferred";
    };
  }

  /**
   * A physical state in libibumad's words.
   *
   * @param state the state
   * @return the words
   */
  static String physState(PhysState state) {
    return switch (state) {
      case SLEEP -> "Sleep";
      case POLLING -> "Polling";
      case DISABLED -> "Disabled";
      case PORT_CONFIGURATION_TRAINING -> "PortConfigurationTraining";
      case LINK_UP -> "LinkUp";
      case LINK_ERROR_RECOVERY -> "LinkErrorRecovery";
      case PHY_TEST -> "Phy Test";
    };
  }
}
