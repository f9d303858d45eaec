package ib.tools.verbs;

import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Gid;
import ib.core.verbs.PortAttr;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import ib.tools.output.Units;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A device as {@code ibv_devinfo} shows it.
 *
 * @param info name and identity
 * @param attr attributes
 * @param ports the ports to show
 * @param verbose whether all attributes are printed
 */
public record Hca(DeviceInfo info, DeviceAttr attr, List<Port> ports, boolean verbose)
    implements Printable, JsonView {

  /** Copies the list. */
  public Hca {
    ports = List.copyOf(ports);
  }

  /**
   * A port.
   *
   * @param port port number, from 1
   * @param attr attributes
   * @param gids the GID table's entries in use; empty when not verbose
   */
  public record Port(int port, PortAttr attr, Map<Integer, Gid> gids) {}

  @Override
  public String text() {
    return HcaText.of(this);
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("hca_id", info.name());
    json.put("transport", HcaText.transport(info.nodeType()));
    json.put("fw_ver", attr.fwVer());
    json.put("node_guid", Units.guid(info.nodeGuid()));
    json.put("sys_image_guid", Units.guid(info.sysImageGuid()));
    json.put("vendor_id", attr.vendorId());
    json.put("vendor_part_id", attr.vendorPartId());
    json.put("hw_ver", attr.hwVer());
    json.put("phys_port_cnt", attr.physPortCount());
    if (verbose) {
      attr.limits().forEach((limit, value) -> json.put(limit.label(), unsigned(value)));
      json.put("atomic_cap", attr.atomicCap().label());
      json.put("caps", attr.caps().stream().map(Enum::name).toList());
    }
    json.put("ports", ports.stream().map(this::json).toList());
    return json;
  }

  private static Number unsigned(long value) {
    return value >= 0 ? value : new BigInteger(Long.toUnsignedString(value));
  }

  private Map<String, Object> json(Port port) {
    Map<String, Object> json = new LinkedHashMap<>();
    PortAttr a = port.attr;
    json.put("port", port.port);
    json.put("state", a.state().label());
    json.put("max_mtu", a.maxMtu().bytes());
    json.put("active_mtu", a.activeMtu().bytes());
    json.put("sm_lid", a.smLid());
    json.put("port_lid", a.lid());
    json.put("port_lmc", a.lmc());
    json.put("link_layer", a.linkLayer().label());
    if (verbose) {
      json.put("max_msg_sz", a.maxMsgSize());
      json.put("gids", port.gids);
    }
    return json;
  }
}
