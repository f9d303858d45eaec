package ib.core.internal.event;

import java.util.Map;

/**
 * Where a device's {@link Poster} posts its events for everybody to hear; in OSGi the EventAdmin.
 * What it posts is expected back at {@link EventHub#onEvent}, in the order of the posts or in any
 * other, once, twice or never.
 */
@FunctionalInterface
public interface EventBus {
  /**
   * Posts an event. Called on the devices' posters only; ought not to block.
   *
   * @param topic the topic
   * @param properties the properties, immutable
   * @return false when nobody is there to take it
   */
  boolean post(String topic, Map<String, Object> properties);

  /**
   * Tells that a posted event did not come back in time; must not block. The bus finds out who
   * holds it up, reports that and does what it can to be heard again (F23).
   *
   * @param device device name
   * @param sequence the first event that did not come back
   */
  default void overdue(String device, long sequence) {}
}
