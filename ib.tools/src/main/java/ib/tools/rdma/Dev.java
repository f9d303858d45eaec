package ib.tools.rdma;

import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.output.Units;
import ib.tools.output.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** {@code rdma dev}. */
final class Dev {
  private Dev() {}

  static Object run(View view, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("show", words -> show(view, words));
    commands.put("list", words -> show(view, words));
    commands.put("set", words -> set(view, words));
    commands.put("help", words -> Usage.of("rdma_dev"));
    return all.dispatch("dev command", words -> show(view, words), commands);
  }

  private static Listing<Line> show(View view, Words words) {
    List<DeviceInfo> devices = view.devices(words);
    words.end();
    return view.listing(devices.stream().map(d -> line(view, d)).toList());
  }

  private static Line line(View view, DeviceInfo d) {
    DeviceAttr attr = view.device(d).attrs();
    Line line = new Line();
    line.put("ifindex", d.index(), d.index() + ": ");
    line.put("ifname", d.name(), d.name() + ": ");
    line.put("node_type", d.nodeType().label().toLowerCase(Locale.ROOT).replace(' ', '_'));
    if (!attr.fwVer().isEmpty() && !attr.fwVer().equals("0.0.0")) { // 0.0.0 stands for no firmware
      line.put("fw", attr.fwVer());
    }
    line.put("node_guid", Units.guid(d.nodeGuid()));
    line.put("sys_image_guid", Units.guid(d.sysImageGuid()));
    if (view.details()) {
      line.putOnOff("adaptive-moderation", false);
      line.putCaps(attr.caps().stream().filter(c -> c.mask() != 0).map(Dev::cap).toList());
    }
    return line;
  }

  /**
   * {@return the tool's name of a flag} One name differs from the verbs name; the newest flags have
   * none.
   */
  private static String cap(Cap cap) {
    return switch (cap) {
      case UD_AV_PORT_ENFORCE -> "UD_AV_PORT_ENFORCE_PORT_ENFORCE";
      case FLUSH_GLOBAL, FLUSH_PERSISTENT, ATOMIC_WRITE -> "UNKNOWN";
      default -> cap.name();
    };
  }

  private static Object set(View view, Words words) {
    if (words.isEmpty()) {
      throw new CommandException("Please provide device name.");
    }
    String device = view.devices(words).getFirst().name();
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("name", rest -> rename(view, device, rest));
    commands.put("netns", rest -> Rdma.unsupported("netns"));
    commands.put("adaptive-moderation", rest -> Rdma.unsupported("adaptive-moderation"));
    return words.dispatch("parameter", rest -> Usage.of("rdma_dev"), commands);
  }

  private static Object rename(View view, String device, Words words) {
    if (words.isEmpty()) {
      throw new CommandException("Please provide device new name.");
    }
    String newName = words.next();
    words.end();
    try {
      view.core().rename(device, newName);
    } catch (IbException e) {
      throw new CommandException("error: " + e.getMessage());
    }
    return view.listing(view.find(newName).stream().map(d -> line(view, d)).toList());
  }
}
