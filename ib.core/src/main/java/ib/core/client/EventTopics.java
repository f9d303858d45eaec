package ib.core.client;

/** Topics and properties of the events on the OSGi EventAdmin (D8). */
public final class EventTopics {
  /** Topic prefix; the type's name follows: {@code ib/event/PORT_ACTIVE}. */
  public static final String PREFIX = "ib/event/";

  /** All events. */
  public static final String ALL = "ib/event/*";

  /** Device name, String. */
  public static final String DEVICE = "ib.device";

  /** Port, Integer; absent when there is none. */
  public static final String PORT = "ib.port";

  /** Gap-free sequence per device, Long, from 1; absent for affiliated events. */
  public static final String SEQUENCE = "ib.seq";

  /** {@link System#nanoTime} at dispatch, Long. */
  public static final String TIME = "ib.time";

  /** QP number of a queue pair event, Integer. */
  public static final String QPN = "ib.qpn";

  /** Object of an affiliated event, text such as {@code CQ 3}. */
  public static final String OBJECT = "ib.object";

  /** How many events an overflow swallowed, Integer. */
  public static final String LOST = "ib.lost";

  private EventTopics() {}
}
