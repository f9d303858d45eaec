package ib.driver.base;

import ib.core.verbs.Limit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The numeric keys of a device configuration: range, default, and the limit that each sets. */
public enum NumberKey {
  /** Ports of the adapter. */
  PORTS(null, 1, 1, 8),
  /** Completion vectors; 0: one per processor. */
  COMP_VECTORS(null, 0, 0, 64),
  /** Queue pairs. */
  MAX_QP(Limit.MAX_QP, 1, 65_536, 1_048_576),
  /** Requests in one work queue. */
  MAX_QP_WR(Limit.MAX_QP_WR, 1, 16_384, 1_048_576),
  /** Elements of one request. */
  MAX_SGE(Limit.MAX_SGE, 1, 32, 32),
  /** Inline bytes of one request. */
  MAX_INLINE_DATA(Limit.MAX_INLINE_DATA, 0, 1_024, 4_096),
  /** Reads and atomics that one queue pair serves at a time. */
  MAX_QP_RD_ATOM(Limit.MAX_QP_RD_ATOM, 0, 128, 128),
  /** Completion queues. */
  MAX_CQ(Limit.MAX_CQ, 1, 65_536, 1_048_576),
  /** Entries of one completion queue. */
  MAX_CQE(Limit.MAX_CQE, 1, 1_048_576, 4_194_304),
  /** Memory regions. */
  MAX_MR(Limit.MAX_MR, 1, 524_287, 8_388_607),
  /** Protection domains. */
  MAX_PD(Limit.MAX_PD, 1, 65_536, 1_048_576),
  /** Address handles. */
  MAX_AH(Limit.MAX_AH, 1, 65_536, 1_048_576),
  /** Shared receive queues. */
  MAX_SRQ(Limit.MAX_SRQ, 1, 65_536, 1_048_576),
  /** Receives in one shared receive queue. */
  MAX_SRQ_WR(Limit.MAX_SRQ_WR, 1, 16_384, 1_048_576),
  /** Elements of a receive in a shared receive queue. */
  MAX_SRQ_SGE(Limit.MAX_SRQ_SGE, 1, 32, 32),
  /** Multicast groups. */
  MAX_MCAST_GRP(Limit.MAX_MCAST_GRP, 1, 8_192, 16_383),
  /** Queue pairs attached to one multicast group. */
  MAX_MCAST_QP_ATTACH(Limit.MAX_MCAST_QP_ATTACH, 1, 256, 65_536);

  private final @Nullable Limit limit;
  private final int least;
  private final int standard;
  private final int most;

  NumberKey(@Nullable Limit limit, int least, int standard, int most) {
    this.limit = limit;
    this.least = least;
    this.standard = standard;
    this.most = most;
  }

  /** {@return the key in a configuration} */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@return the limit of the device that the key sets, or null} */
  public @Nullable Limit limit() {
    return limit;
  }

  /** {@return the smallest value} */
  public int least() {
    return least;
  }

  /** {@return the value when the key is absent} */
  public int standard() {
    return standard;
  }

  /** {@return the largest value} */
  public int most() {
    return most;
  }

  /**
   * Reads all keys that set a limit.
   *
   * @param settings the values
   * @return the limits
   */
  public static Map<Limit, Integer> limits(Settings settings) {
    Map<Limit, Integer> limits = new EnumMap<>(Limit.class);
    for (NumberKey key : values()) {
      Limit limit = key.limit;
      if (limit != null) {
        limits.put(limit, settings.number(key));
      }
    }
    return limits;
  }

  /**
   * Reads how many completion vectors there are.
   *
   * @param settings the values
   * @return at least 1
   */
  public static int compVectors(Settings settings) {
    int vectors = settings.number(COMP_VECTORS);
    return vectors == 0 ? Math.min(64, Runtime.getRuntime().availableProcessors()) : vectors;
  }
}
