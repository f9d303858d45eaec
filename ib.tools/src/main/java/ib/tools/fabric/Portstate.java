package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * {@code ibportstate}: shows the state, width and speed of a port, or changes the state
 * (Set(PortInfo), IBA 14.2.5.6). The original's other operations, such as {@code speed}, are
 * refused.
 */
final class Portstate {
  private static final String NAME = "ibportstate";
  private static final int LINK_UP = 5;
  private static final int PLACEHOLDER = 0x1234; // the original's LID of a port without one
  private static final int BYTES = 64; // of an attribute
  private static final List<Integer> DISABLE = List.of(3);
  private static final List<Integer> ENABLE = List.of(2); // polling

  /** The physical states that an operation sets in turn; a logical state is below 0. */
  private static final Map<String, List<Integer>> STATES =
      Map.of(
          "query", List.of(),
          "enable", ENABLE,
          "on", ENABLE,
          "disable", DISABLE,
          "off", DISABLE,
          "reset", List.of(3, 2),
          "down", List.of(-1),
          "arm", List.of(-3),
          "active", List.of(-4));

  private static final List<PortInfo> KEYS =
      List.of(PortInfo.M_KEY, PortInfo.M_KEY_LEASE_PERIOD, PortInfo.M_KEY_PROTECT_BITS);
  private static final List<PortInfo> SHOWN =
      List.of(
          PortInfo.PORT_STATE,
          PortInfo.PORT_PHYS_STATE,
          PortInfo.LID,
          PortInfo.SM_LID,
          PortInfo.LMC,
          PortInfo.LINK_WIDTH_SUPPORTED,
          PortInfo.LINK_WIDTH_ENABLED,
          PortInfo.LINK_WIDTH_ACTIVE,
          PortInfo.LINK_SPEED_SUPPORTED,
          PortInfo.LINK_SPEED_ENABLED,
          PortInfo.LINK_SPEED_ACTIVE,
          PortInfo.LINK_SPEED_EXT_SUPPORTED,
          PortInfo.LINK_SPEED_EXT_ENABLED,
          PortInfo.LINK_SPEED_EXT_ACTIVE);

  private Portstate() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    List<String> operands = line.operands();
    if (operands.size() < 2) {
      throw line.usage();
    }
    Route to = Destination.of(NAME, query, line, operands.getFirst());
    MemorySegment node = get(query, to, SmpAttribute.NODE_INFO, 0, "nodeinfo");
    int port = (int) Destination.number(operands.get(1));
    String operation = operands.size() > 2 ? operands.get(2) : "query";
    boolean ofSwitch = NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH;
    String kind = ofSwitch ? "Switch PortInfo:\n" : "CA/RT PortInfo:\n";
    boolean external = ofSwitch && port != 0;
    Text text = new Text(to.text(), !external, line.has("show_keys"));
    List<Integer> states = STATES.get(operation);
    if (states == null) {
      throw CommandException.iberror(NAME, "invalid operation: " + operation, null);
    }
    String before = states.isEmpty() ? kind : "Initial " + kind;
    try {
      MemorySegment info = get(query, to, SmpAttribute.PORT_INFO, port, "portinfo");
      before += text.of(port, info);
      if (states.isEmpty()) {
        boolean up = PortInfo.PORT_PHYS_STATE.in(info) == LINK_UP;
        return before + (external && up ? peer(query, to, port, text.keys) : "");
      }
      before += states.equals(DISABLE) ? "\nDisable may be irreversible\n" : "\n";
      for (int state : states) {
        MemorySegment wanted = wanted(info, state, external);
        info = named("set portinfo", () -> query.set(to, SmpAttribute.PORT_INFO, port, wanted));
      }
      return before + "\nAfter PortInfo set:\n" + text.of(port, info);
    } catch (NoAnswerException e) { // what has been found so far, as the original
      String why =
          CommandException.iberror(NAME, String.valueOf(e.getMessage()), null).getMessage();
      CommandException failure =
          CommandException.onOutput(255, before.stripTrailing() + "\n" + why);
      failure.initCause(e);
      throw failure;
    }
  }

  private static MemorySegment wanted(MemorySegment info, int state, boolean external) {
    MemorySegment wanted = MemorySegment.ofArray(new byte[BYTES]).copyFrom(info.asSlice(0, BYTES));
    for (PortInfo lid : List.of(PortInfo.LID, PortInfo.SM_LID)) {
      if (!external && lid.in(wanted) == 0) {
        lid.set(wanted, PLACEHOLDER); // none is refused
      }
    }
    PortInfo.PORT_STATE.set(wanted, Math.max(0, -state));
    PortInfo.PORT_PHYS_STATE.set(wanted, Math.max(0, state));
    return wanted;
  }

  /** {@return the other end of a switch's link, which only a directed route reaches} */
  private static String peer(SmpQuery query, Route to, int port, boolean keys)
      throws NoAnswerException {
    Route.Directed route =
        to instanceof Route.Directed d
            ? d
            : Tracert.find(Scan.of(query), ((Route.Lid) to).lid()).node().route();
    Route.Directed beyond = route.then(port);
    MemorySegment node = get(query, beyond, SmpAttribute.NODE_INFO, 0, "nodeinfo");
    int number = NodeInfo.LOCAL_PORT_NUM.in(node);
    MemorySegment info = get(query, beyond, SmpAttribute.PORT_INFO, number, "portinfo");
    String way =
        to instanceof Route.Lid
            ? to.text() + " DR path slid " + query.lid() + "; dlid 65535; 0," + port
            : beyond.text();
    boolean ofSwitch = NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH;
    return "\nPeer PortInfo:\n" + new Text(way, !ofSwitch, keys).of(number, info);
  }

  private static MemorySegment get(
      SmpQuery query, Route to, SmpAttribute attribute, int modifier, String name)
      throws NoAnswerException {
    return named("query " + name, () -> query.get(to, attribute, modifier));
  }

  private static MemorySegment named(String what, Asked asked) throws NoAnswerException {
    try {
      return asked.answer();
    } catch (NoAnswerException e) {
      throw new NoAnswerException("smp " + what + " failed (" + e.getMessage() + ")", e);
    }
  }

  /** A question to a port. */
  private interface Asked {
    MemorySegment answer() throws NoAnswerException;
  }

  /** How the ports of a node are shown: where the node is, and whether it has keys. */
  private record Text(String way, boolean ofAdapter, boolean keys) {
    String of(int port, MemorySegment info) {
      StringBuilder out = new StringBuilder("# Port info: " + way + " port " + port);
      SHOWN.forEach(f -> out.append('\n').append(AttributeText.portLine(f, info, keys)));
      if (ofAdapter) {
        KEYS.forEach(f -> out.append('\n').append(AttributeText.portLine(f, info, keys)));
      }
      return out.toString();
    }
  }
}
