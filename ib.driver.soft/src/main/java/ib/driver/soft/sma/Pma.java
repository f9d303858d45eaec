package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortCounters;
import ib.core.mad.smp.PortCountersExtended;
import ib.core.mad.smp.PortRcvDataSl;
import ib.core.mad.smp.PortRcvErrorDetails;
import ib.core.mad.smp.PortXmitDataSl;
import ib.core.mad.smp.PortXmitDiscardDetails;
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
  private static final int PORT_COUNTERS = 0x12;
  private static final int RCV_ERROR_DETAILS = 0x15;
  private static final int XMIT_DISCARD_DETAILS = 0x16;
  private static final int PORT_COUNTERS_EXTENDED = 0x1D;
  private static final int EXTENDED_SPEEDS = 0x1F;
  private static final int XMIT_DATA_SL = 0x36;
  private static final int RCV_DATA_SL = 0x37;
  private static final int ALL_PORTS = 0xff;
  private static final int CAN_ALL_PORTS = 1 << 8;
  private static final int CAN_EXTENDED = 1 << 9;
  private static final int RESPONSE_TIME = 16;

  private static final MadField[] RCV_ERRORS = PortRcvErrorDetails.values();
  private static final MadField[] DISCARDS = PortXmitDiscardDetails.values();
  private static final MadField[] EXTENDED = PortCountersExtended.values();

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
          case PORT_COUNTERS -> counters(at, data, method, Form.CLASSIC, PortCounters.values());
          case RCV_ERROR_DETAILS -> counters(at, data, method, Form.RCV_ERROR_DETAILS, RCV_ERRORS);
          case XMIT_DISCARD_DETAILS ->
              counters(at, data, method, Form.XMIT_DISCARD_DETAILS, DISCARDS);
          case PORT_COUNTERS_EXTENDED -> counters(at, data, method, Form.EXTENDED, EXTENDED);
          case XMIT_DATA_SL ->
              counters(at, data, method, Form.XMIT_DATA_SL, PortXmitDataSl.values());
          case RCV_DATA_SL -> counters(at, data, method, Form.RCV_DATA_SL, PortRcvDataSl.values());
          case EXTENDED_SPEEDS -> nothing(at, data);
          case SAMPLES_CONTROL -> method == GET ? nothing(at, data) : Status.BAD_ATTRIBUTE;
          default -> Status.BAD_ATTRIBUTE;
        };
    Smp.METHOD.set(reply, GET_RESP);
    MadField.write(reply, 32, 16, status);
    return reply;
  }

  private static int classPortInfo(NodePort at, MemorySegment data) {
    data.fill((byte) 0);
    MadField.write(data, 0, 8, 1);
    MadField.write(data, 8, 8, 1);
    MadField.write(data, 16, 16, CAN_EXTENDED | (at.node().isSwitch() ? CAN_ALL_PORTS : 0));
    MadField.write(data, 32 + 27, 5, RESPONSE_TIME);
    return Status.OK;
  }

  private int counters(NodePort at, MemorySegment data, int method, Form form, MadField[] fields) {
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
    sum.forEach((counter, value) -> write(fields, data, counter, counter.value(form, value)));
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

  private static void write(MadField[] fields, MemorySegment data, PortCounter c, long value) {
    for (MadField field : fields) {
      if (field.label().equals(c.label())) {
        field.set(data, value);
      }
    }
  }
}
