package ib.core.internal.event;

import ib.core.client.EventTopics;
import ib.core.verbs.EventType;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A numbered unaffiliated event.
 *
 * @param type the type
 * @param port from 1, or 0
 * @param lost the number of events that an EVENT_OVERFLOW stands for, else 0
 * @param sequence gap-free per device, from 1
 * @param timeNs when the driver dispatched the event
 */
record DeviceEvent(EventType type, int port, int lost, long sequence, long timeNs) {

  /** {@return the fourth component of IbEvent: the port or the number of lost events} */
  int portOrLost() {
    return type == EventType.EVENT_OVERFLOW ? lost : port;
  }

  String topic() {
    return EventTopics.PREFIX + type.name();
  }

  Map<String, Object> properties(String device) {
    Map<String, Object> p = new LinkedHashMap<>();
    p.put(EventTopics.DEVICE, device);
    if (port > 0) {
      p.put(EventTopics.PORT, port);
    }
    if (lost > 0) {
      p.put(EventTopics.LOST, lost);
    }
    p.put(EventTopics.SEQUENCE, sequence);
    p.put(EventTopics.TIME, timeNs);
    return Map.copyOf(p);
  }
}
