package ib.tools.diags;

import static java.util.Map.entry;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbException;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.core.verbs.PortState;
import ib.tools.fabric.Counted;
import ib.tools.fabric.NoAnswerException;
import ib.tools.fabric.NodeCounters;
import ib.tools.fabric.Options;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code perfquery}: the counters of a port. A LID, a GUID or, as an extension, the name of a
 * device of this runtime selects the port. The command reads the counters of a device of this
 * runtime from the core, without a MAD, and those of another node, such as a switch, by datagrams.
 */
public final class Perfquery {
  private static final int ALL_PORT_SELECT = 1 << 8; // IBA 16.1.3.1
  private static final int ALL = 0xffff;
  private static final int ALL_CLASSIC = 0x3ffff; // CounterSelect2 as well

  /**
   * Attributes that the core does not count, by their options, each with what the original says of
   * an agent without it. The fabric's agent has the first two: the original reads them by MADs.
   */
  private static final Map<String, String> MISSING =
      Map.ofEntries(
          entry("extended_speeds", "cannot query PortExtendedSpeedsCounters"),
          entry("smplctl", "sampctlquery"),
          entry("oprcvcounters", "cannot query PortOpRcvCounters"),
          entry("flowctlcounters", "cannot query PortFlowCtlCounters"),
          entry("vloppackets", "cannot query PortVLOpPackets"),
          entry("vlopdata", "cannot query PortVLOpData"),
          entry("vlxmitflowctlerrors", "cannot query PortVLXmitFlowCtlUpdateErrors"),
          entry("vlxmitcounters", "cannot query PortVLXmitWaitCounters"),
          entry("swportvlcong", "cannot query SwPortVLCongestion"),
          entry("rcvcc", "cannot query PortRcvConCtrl"),
          entry("slrcvfecn", "cannot query PortSLRcvFECN"),
          entry("slrcvbecn", "cannot query PortSLRcvBECN"),
          entry("xmitcc", "cannot query PortXmitConCtrl"),
          entry("vlxmittimecc", "cannot query PortVLXmitTimeCong"));

  private final IbCore core;
  private final Parsed line;
  private final Form form;

  private Perfquery(IbCore core, Parsed line) {
    this.core = core;
    this.line = line;
    this.form = form(line);
  }

  private static Form form(Parsed line) {
    if (line.has("xmtsl")) {
      return Form.XMIT_DATA_SL;
    } else if (line.has("rcvsl")) {
      return Form.RCV_DATA_SL;
    } else if (line.has("xmtdisc")) {
      return Form.XMIT_DISCARD_DETAILS;
    } else if (line.has("rcverr")) {
      return Form.RCV_ERROR_DETAILS;
    }
    return line.has("extended") ? Form.EXTENDED : Form.CLASSIC;
  }

  /** The port whose counters are read. */
  private record Port(Counted node, int number) {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args the original's options {@code -x -r -R -a -l -C -P -L -G}, {@code -j}, and operands
   * @return the readings, or null where the original prints nothing
   * @throws CommandException when there is no such port
   */
  public static @Nullable Object run(IbCore core, String... args) {
    Parsed line = Options.parse("perfquery", args, options());
    try {
      Perfquery run = new Perfquery(core, line);
      Port port = run.port();
      try (Counted node = port.node) {
        return run.run(node, port.number);
      }
    } catch (IbException | NoAnswerException e) {
      throw CommandException.iberror("perfquery", "perfquery", e);
    }
  }

  private static String[] options() {
    List<String> known = new ArrayList<>();
    known.addAll(List.of("x,extended", "X,xmtsl", "S,rcvsl", "D,xmtdisc", "E,rcverr"));
    Map<String, String> letters = Map.of("extended_speeds", "T", "smplctl", "c");
    MISSING.keySet().forEach(o -> known.add(letters.getOrDefault(o, "") + "," + o));
    known.addAll(
        List.of(
            "a,all_ports",
            "l,loop_ports",
            "r,reset_after_read",
            "R,Reset_only",
            "z,config=",
            "C,Ca=",
            "P,Port=",
            "L,Lid",
            "G,Guid",
            "t,timeout=",
            "s,sm_port=",
            "y,m_key=",
            "e,errors",
            "v,verbose",
            "d,debug",
            "h,help",
            "V,version",
            "j,json"));
    return known.toArray(String[]::new);
  }

  private Port port() throws NoAnswerException {
    List<String> operands = line.operands();
    return operands.isEmpty() ? local() : destination(operands.getFirst());
  }

  private @Nullable Object run(Counted node, int number) throws NoAnswerException {
    List<String> operands = line.operands();
    List<Integer> numbers = List.of(number);
    boolean details = form != Form.CLASSIC && form != Form.EXTENDED;
    boolean selectsAll = (node.capMask() & ALL_PORT_SELECT) != 0;
    if (details && line.has("all_ports") && !selectsAll) {
      throw failed();
    }
    if (operands.size() > 1) {
      numbers = numbers(operands.get(1));
      numbers = details ? numbers.subList(0, 1) : numbers; // as the original
    } else if (line.has("all_ports")) {
      numbers = IntStream.rangeClosed(1, node.ports()).boxed().toList();
    }
    for (int n : numbers) {
      if (n < Math.min(1, number) || n > node.ports()) { // 0 of a switch
        throw failed();
      }
    }
    for (Map.Entry<String, String> missing : MISSING.entrySet()) {
      if (line.has(missing.getKey())) {
        throw failed(missing.getValue());
      }
    }
    int all = form == Form.CLASSIC ? ALL_CLASSIC : ALL;
    int mask = operands.size() > 2 ? mask(operands.get(2)) : all;
    if (line.has("Reset_only")) {
      reset(node, numbers, mask);
      return null;
    }
    List<PortReading> readings = read(node, numbers, node.lid(number));
    if (line.has("reset_after_read")) {
      reset(node, numbers, mask);
    }
    return line.has("json") ? Listing.ofJson(readings, false) : Listing.ofLines(readings);
  }

  private List<PortReading> read(Counted node, List<Integer> numbers, int lid)
      throws NoAnswerException {
    List<PortReading> readings = new ArrayList<>();
    int cap = node.capMask();
    for (int n : numbers) {
      readings.add(new PortReading(node.name(), lid, n, form, cap, node.read(n, form)));
    }
    boolean one = line.has("all_ports") && !line.has("loop_ports");
    return one && readings.size() > 1 ? List.of(sum(readings)) : readings;
  }

  /** {@return one reading for all ports; a sum stops at the largest value of its counter} */
  private PortReading sum(List<PortReading> readings) {
    Map<PortCounter, Long> sum = new EnumMap<>(PortCounter.class);
    for (PortReading r : readings) {
      r.counters().forEach((c, v) -> sum.merge(c, v, (a, b) -> c.value(form, a + b)));
    }
    PortReading first = readings.getFirst();
    return new PortReading(
        first.device(), first.lid(), PortReading.ALL_PORTS, form, first.capMask(), sum);
  }

  private void reset(Counted node, List<Integer> numbers, int mask) throws NoAnswerException {
    for (int n : numbers) {
      node.reset(n, form, mask);
    }
  }

  // ---- which port ----

  private Port local() {
    String name = line.last("Ca");
    int number = line.number("Port", 0, 0, 254);
    for (DeviceInfo d : core.devices()) {
      if (name != null && !d.name().equals(name)) {
        continue;
      }
      for (int n = 1; n <= d.portCount(); n++) {
        if (number == n || number == 0 && active(d, n)) {
          return new Port(new OwnCounters(core, d), n);
        }
      }
    }
    throw failed("Failed to open '" + (name == null ? "(null)" : name) + "' port '" + number + "'");
  }

  private Port destination(String text) throws NoAnswerException {
    for (DeviceInfo d : core.devices()) {
      for (int n = 1; n <= d.portCount(); n++) {
        boolean found =
            line.has("Guid")
                ? number(text) == guid(d, n) || number(text) == d.nodeGuid()
                : d.name().equals(text)
                    || number(text) > 0 && number(text) == new OwnCounters(core, d).lid(n);
        if (found) {
          return new Port(new OwnCounters(core, d), n);
        }
      }
    }
    if (number(text) == 0 || number(text) == -1) { // -1: no number
      throw failed("can't resolve destination port " + text);
    }
    NodeCounters far = NodeCounters.open(core, "perfquery", line, text);
    return new Port(far, far.port());
  }

  private boolean active(DeviceInfo d, int port) {
    return core.device(d.name()).filter(i -> i.port(port).state() == PortState.ACTIVE).isPresent();
  }

  private long guid(DeviceInfo d, int port) {
    return core.device(d.name()).map(i -> i.gid(port, 0).interfaceId()).orElse(0L);
  }

  /**
   * {@return the ports in {@code 1}, {@code 1-2} or {@code 1,2}; 0, which is no valid port, for any
   * other text}
   */
  private static List<Integer> numbers(String text) {
    if (text.matches("[0-9]{1,3}-[0-9]{1,3}")) {
      String[] ends = text.split("-", -1);
      return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]))
          .boxed()
          .toList();
    }
    List<Integer> numbers = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      numbers.add(part.matches("[0-9]{1,3}") ? Integer.parseInt(part) : 0);
    }
    return numbers;
  }

  private static int mask(String text) {
    long mask = number(text);
    return mask < 0 ? ALL : (int) mask;
  }

  private static long number(String text) {
    try {
      boolean hex = text.startsWith("0x");
      return Long.parseUnsignedLong(hex ? text.substring(2) : text, hex ? 16 : 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private CommandException failed() {
    return failed(
        switch (form) {
          case CLASSIC -> "perfquery";
          case EXTENDED -> "perfextquery";
          default ->
              (line.has("Reset_only") ? "cannot reset " : "cannot query ")
                  + PortReading.attribute(form);
        });
  }

  private static CommandException failed(String what) {
    return CommandException.iberror("perfquery", what, null);
  }
}
