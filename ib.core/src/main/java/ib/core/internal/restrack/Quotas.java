package ib.core.internal.restrack;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;

/**
 * The limits of a client on a device, from one configuration. A change applies to objects made
 * afterwards; objects made before stay.
 *
 * @param most the limits, in units of their keys
 */
public record Quotas(Map<Quota, Integer> most) {
  /** The limits without a configuration. */
  public static final Quotas STANDARD = of(Quota::standard);

  /** Copies the map; what is left out has its standard. */
  public Quotas {
    Map<Quota, Integer> all = new EnumMap<>(Quota.class);
    for (Quota q : Quota.values()) {
      Integer given = most.get(q);
      all.put(q, given == null ? q.standard() : given);
    }
    most = Collections.unmodifiableMap(all);
  }

  /**
   * Asks for each limit.
   *
   * @param reader tells the limit, in units of the key
   * @return the limits
   */
  public static Quotas of(ToIntFunction<Quota> reader) {
    Map<Quota, Integer> all = new EnumMap<>(Quota.class);
    for (Quota q : Quota.values()) {
      all.put(q, reader.applyAsInt(q));
    }
    return new Quotas(all);
  }

  long limit(Quota quota) {
    return Objects.requireNonNull(most.get(quota)) * quota.unit;
  }
}
