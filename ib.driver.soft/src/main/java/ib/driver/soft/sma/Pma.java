package ib.driver.soft.sma;

import ib.core.mad.smp.CounterAttribute;
import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortCounters;
import ib.core.mad.smp.Smp;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The performance management agent of a node (IBA 16.1). */
final class Pma {
  private static final int GET = 0x01;
  private static final int SET = 0x02;
  private static final int GET_RESP = 0x81;
  private static final int CLASS_PORT_INFO = 0x01;
  private static final int SAMPLES_CONTROL = 0x10;
  private static final int EXTENDED_SPEEDS = 0x1F;
  private static final int ALL_PORTS = 0xff;
  private static final int CAN_ALL_PORTS = 1 << 8;
  private static final int CAN_EXTENDED = 1 << 9;
  private static final int CAN_XMIT_WAIT = 1 << 12;
  private static final int RESPONSE_TIME = 16;

  private final SwitchCounters switches = new SwitchCounters();

  Pma() {}

  @Nullable MemorySegment answer(NodePort at, MemorySegment mad) {
    int method = Smp.METHOD.in(mad);
    if (method != GET && method != SET) {
      return null;
    }
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(mad);
    MemorySegment data = reply.asSlice(64, 192);
    int status =
        switch (Smp.ATTRIBUTE_ID.in(mad)) {
          case CLASS_PORT_INFO -> classPortInfo(at, data);
          case EXTENDED_SPEEDS -> nothing(at, data);
          case SAMPLES_CONTROL -> method == GET ? nothing(at, data) : Status.BAD_ATTRIBUTE;
          default -> {
            CounterAttribute known = CounterAttribute.of(Smp.ATTRIBUTE_ID.in(mad));
            yield known == null ? Status.BAD_ATTRIBUTE : counters(at, data, method, known);
          }
        };
    Smp.METHOD.set(reply, GET_RESP);
    MadField.write(reply, 32, 16, status);
    return reply;
  }

  private static int classPortInfo(NodePort at, MemorySegment data) {
    data.fill((byte) 0);
    MadField.write(data, 0, 8, 1);
    MadField.write(data, 8, 8, 1);
    MadField.write(
        data, 16, 16, CAN_XMIT_WAIT | CAN_EXTENDED | (at.node().isSwitch() ? CAN_ALL_PORTS : 0));
    MadField.write(data, 32 + 27, 5, RESPONSE_TIME);
    return Status.OK;
  }

  private int counters(NodePort at, MemorySegment data, int method, CounterAttribute attribute) {
    Form form = attribute.form();
    Node node = at.node();
    int select = PortCounters.PORT_SELECT.in(data); // PortSelect has the same place in all counters
    NodePort one = node.port(select);
    List<NodePort> ports;
    if (select == ALL_PORTS && node.isSwitch()) {
      ports = node.ports();
    } else if (one != null) {
      ports = List.of(one);
    } else {
      return Status.BAD_FIELD;
    }
    int mask = PortCounters.COUNTER_SELECT.in(data);
    if (form == Form.CLASSIC) {
      mask |= PortCounters.COUNTER_SELECT_2.in(data) << 16;
    }
    if (method == SET) {
      for (NodePort port : ports) {
        switches.reset(port, form, PortCounter.selected(form, mask));
      }
    }
    Map<PortCounter, Long> sum = new EnumMap<>(PortCounter.class);
    for (NodePort port : ports) {
      switches.read(port, form).forEach((c, v) -> sum.merge(c, v, Long::sum));
    }
    data.fill((byte) 0);
    PortCounters.PORT_SELECT.set(data, select);
    attribute.write(data, sum);
    return Status.OK;
  }

  /**
   * Answers an attribute that every port has and that is always 0 here: the links have neither link
   * lanes nor error correction, and no counter can be sampled (CounterMask, IBA 16.1.3.2).
   */
  private static int nothing(NodePort at, MemorySegment data) {
    Node node = at.node();
    int select = PortCounters.PORT_SELECT.in(data);
    if (node.port(select) == null && !(select == ALL_PORTS && node.isSwitch())) {
      return Status.BAD_FIELD;
    }
    data.fill((byte) 0);
    PortCounters.PORT_SELECT.set(data, select);
    return Status.OK;
  }
}
