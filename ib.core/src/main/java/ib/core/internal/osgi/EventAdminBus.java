package ib.core.internal.osgi;

import ib.core.internal.event.EventBus;
import java.util.Map;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/**
 * One EventAdmin as the bus. Posts only, from the dispatchers' threads: the EventAdmin keeps order
 * per posting thread, and sending would run foreign handlers in the caller (S20).
 */
final class EventAdminBus implements EventBus {
  private final EventAdmin admin;
  private final BusHandler handler;

  EventAdminBus(Object admin, BusHandler handler) {
    this.admin = (EventAdmin) admin;
    this.handler = handler;
  }

  /** {@return whether what is posted comes back by that handler} */
  boolean isHeardBy(BusHandler other) {
    return handler.equals(other);
  }

  @Override
  public boolean post(String topic, Map<String, Object> properties) {
    admin.postEvent(new Event(topic, properties));
    return true;
  }

  @Override
  public void overdue(String device, long sequence) {
    handler.overdue(device, sequence);
  }
}
