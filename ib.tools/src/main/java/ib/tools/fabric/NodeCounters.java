package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.CounterAttribute;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortCounters;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.AhAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.core.verbs.QpType;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * The counters of a node of the fabric, of this runtime or not, by datagrams to its performance
 * management agent (IBA 16.1). Calls block until the answer or the time limit.
 */
public final class NodeCounters implements Counted {
  private static final int CLASS_PORT_INFO = 1; // IBA 13.4.8.1
  private static final int CAPABILITIES = 16; // bit of its CapabilityMask

  private final Requests requests;
  private final int lid;
  private final MemorySegment node;

  private NodeCounters(Requests requests, int lid, MemorySegment node) {
    this.requests = requests;
    this.lid = lid;
    this.node = node;
  }

  /**
   * Finds a node.
   *
   * @param core the midlayer
   * @param command name of the command, for messages
   * @param line its options {@code Ca}, {@code Port}, {@code Guid} and {@code timeout}
   * @param text the operand: a LID, or a GUID
   * @return its counters; the caller closes them
   * @throws NoAnswerException when the node does not answer
   * @throws ib.tools.getopt.CommandException when there is no such node, or no port that sends
   */
  public static NodeCounters open(IbCore core, String command, Parsed line, String text)
      throws NoAnswerException {
    LocalPort port = LocalPort.of(core, command, line);
    int timeoutMs = Options.timeoutMs(line);
    int lid;
    MemorySegment node;
    try (Smi smi = Smi.open(core, port, command, timeoutMs)) {
      Route to = Destination.of(command, smi, line, text);
      node = smi.get(to, SmpAttribute.NODE_INFO, 0);
      lid = ((Route.Lid) to).lid(); // the commands have no -D that means a route
    }
    return new NodeCounters(Requests.open(core, port, QpType.GSI, command, timeoutMs), lid, node);
  }

  @Override
  public String name() {
    return "Lid " + lid;
  }

  @Override
  public int lid(int port) {
    return lid;
  }

  /** {@return the port that a command means when none is named: 0 of a switch} */
  public int port() {
    boolean ofSwitch = NodeInfo.NODE_TYPE.in(node) == Scan.SWITCH;
    return ofSwitch ? 0 : NodeInfo.LOCAL_PORT_NUM.in(node);
  }

  @Override
  public int ports() {
    return NodeInfo.NUM_PORTS.in(node);
  }

  @Override
  public int capMask() throws NoAnswerException {
    Mad mad = Mad.request(MgmtClass.PERF_MGMT, 1, MadMethod.GET, CLASS_PORT_INFO, 0);
    return (int) MadField.read(ask(requests, lid, mad), CAPABILITIES, 16);
  }

  @Override
  public Map<PortCounter, Long> read(int port, Form form) throws NoAnswerException {
    return read(requests, lid, port, form);
  }

  /** Reads the counters of a node by an open queue pair. */
  static Map<PortCounter, Long> read(Requests by, int lid, int port, Form form)
      throws NoAnswerException {
    CounterAttribute attribute = CounterAttribute.of(form);
    return attribute.read(ask(by, lid, attribute, MadMethod.GET, port, 0));
  }

  @Override
  public void reset(int port, Form form, int mask) throws NoAnswerException {
    reset(requests, lid, port, form, mask);
  }

  static void reset(Requests by, int lid, int port, Form form, int mask) throws NoAnswerException {
    ask(by, lid, CounterAttribute.of(form), MadMethod.SET, port, mask);
  }

  private static MemorySegment ask(
      Requests by, int lid, CounterAttribute attribute, int method, int port, int mask)
      throws NoAnswerException {
    Mad mad = Mad.request(MgmtClass.PERF_MGMT, 1, method, attribute.id(), 0);
    MemorySegment data = mad.data();
    PortCounters.PORT_SELECT.set(data, port);
    PortCounters.COUNTER_SELECT.set(data, mask & 0xffff);
    PortCounters.COUNTER_SELECT_2.set(data, mask >>> 16);
    return ask(by, lid, mad);
  }

  private static MemorySegment ask(Requests by, int lid, Mad mad) throws NoAnswerException {
    AhAttr way = AhAttr.ofLid(by.port(), lid, 0);
    return by.ask("Lid " + lid, mad, MadAddress.gsi(way));
  }

  @Override
  public void close() {
    requests.close();
  }
}
