package ib.core.internal.event;

import java.util.Map;

/**
 * The bus on which a device's {@link Poster} posts the device's events for all listeners; in OSGi
 * the EventAdmin. The bus gives a posted event back at {@link EventHub#onEvent}; the event path
 * works in whatever order the events come back, and if they come back twice or never.
 */
@FunctionalInterface
public interface EventBus {
  /**
   * Posts an event. Only the posters' threads call this method; it should not block.
   *
   * @param topic the topic
   * @param properties the properties, immutable
   * @return false when no bus takes the event
   */
  boolean post(String topic, Map<String, Object> properties);

  /**
   * Notifies the bus that a posted event did not come back in time; must not block. The bus finds
   * the handlers that hold it up, reports them, and tries to get events back again (F23).
   *
   * @param device device name
   * @param sequence the first event that did not come back
   */
  default void overdue(String device, long sequence) {}
}
