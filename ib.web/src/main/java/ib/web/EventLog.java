package ib.web;

import ib.core.client.EventTopics;
import ib.web.events.EventRing;
import java.time.Instant;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventConstants;
import org.osgi.service.event.EventHandler;

/** Keeps the latest events of all devices, as they come on the event bus. */
@Component(
    service = {EventHandler.class, EventLog.class},
    property = EventConstants.EVENT_TOPIC + "=" + EventTopics.ALL)
public final class EventLog implements EventHandler {
  /** The events. */
  final EventRing ring = new EventRing();

  /** Called by DS. */
  public EventLog() {}

  @Override
  public void handleEvent(Event event) {
    Object port = event.getProperty(EventTopics.PORT);
    Object object = event.getProperty(EventTopics.OBJECT);
    String where = port != null ? "port " + port : object != null ? object.toString() : "";
    Object lost = event.getProperty(EventTopics.LOST);
    ring.add(
        Instant.now(),
        String.valueOf(event.getProperty(EventTopics.DEVICE)),
        event.getTopic().substring(EventTopics.PREFIX.length()),
        lost == null ? where : where + " " + lost + " lost",
        event.getProperty(EventTopics.SEQUENCE) instanceof Long number ? number : 0);
  }
}
