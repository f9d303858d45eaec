package ib.tools.verbs;

import ib.core.verbs.IbEvent;
import ib.tools.output.Printable;

/**
 * An event as {@code ibv_asyncwatch} shows it.
 *
 * @param device device name
 * @param type for example {@code IBV_EVENT_PORT_ERR}
 * @param value the type's number
 * @param port port from 1; 0 for the device; for an overflow the number of lost events
 * @param sequence number of the event, without gaps per device (D8)
 */
public record EventRow(String device, String type, int value, int port, long sequence)
    implements Printable {

  static EventRow of(IbEvent event) {
    return new EventRow(
        event.device().name(),
        event.type().label(),
        event.type().value(),
        event.port(),
        event.sequence());
  }

  @Override
  public String text() {
    return "  event_type " + type + " (" + value + "), port " + port;
  }
}
