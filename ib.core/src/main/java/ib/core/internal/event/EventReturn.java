package ib.core.internal.event;

import java.util.Map;

/** Takes back what was posted on an {@link EventBus}. */
@FunctionalInterface
public interface EventReturn {
  /**
   * An event has come round. Never blocks and runs no handler; foreign, forged, repeated and late
   * events do no harm.
   *
   * @param topic the topic
   * @param properties its properties
   */
  void onEvent(String topic, Map<String, ?> properties);
}
