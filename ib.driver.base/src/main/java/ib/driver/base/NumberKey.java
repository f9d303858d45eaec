package ib.driver.base;

import ib.core.config.ConfigKey;
import ib.core.verbs.Limit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numeric keys of a device configuration that all drivers share, and the limit that each sets.
 */
public enum NumberKey {
  /** Completion vectors; 0: one per processor. */
  COMP_VECTORS(null, 0, 0, 64, "Number of completion vectors. 0: one per processor."),
  /** Queue pairs. */
  MAX_QP(Limit.MAX_QP, 1, 65_536, 1_048_576, "Largest number of queue pairs."),
  /** Requests in one work queue. */
  MAX_QP_WR(Limit.MAX_QP_WR, 1, 16_384, 1_048_576, "Largest number of requests in one work queue."),
  /** Elements of one request. */
  MAX_SGE(Limit.MAX_SGE, 1, 32, 32, "Largest number of scatter/gather elements of one request."),
  /** Inline bytes of one request. */
  MAX_INLINE_DATA(
      Limit.MAX_INLINE_DATA, 0, 1_024, 4_096, "Largest inline data of one request in bytes."),
  /** Reads and atomics that one queue pair serves at a time. */
  MAX_QP_RD_ATOM(
      Limit.MAX_QP_RD_ATOM,
      0,
      128,
      128,
      "Largest number of RDMA reads and atomics that one queue pair serves, or has outstanding."),
  /** Completion queues. */
  MAX_CQ(Limit.MAX_CQ, 1, 65_536, 1_048_576, "Largest number of completion queues."),
  /** Entries of one completion queue. */
  MAX_CQE(
      Limit.MAX_CQE, 1, 1_048_576, 4_194_304, "Largest number of entries of one completion queue."),
  /** Memory regions. */
  MAX_MR(Limit.MAX_MR, 1, 524_287, 8_388_607, "Largest number of memory regions."),
  /** Protection domains. */
  MAX_PD(Limit.MAX_PD, 1, 65_536, 1_048_576, "Largest number of protection domains."),
  /** Address handles. */
  MAX_AH(Limit.MAX_AH, 1, 65_536, 1_048_576, "Largest number of address handles."),
  /** Shared receive queues. */
  MAX_SRQ(Limit.MAX_SRQ, 1, 65_536, 1_048_576, "Largest number of shared receive queues."),
  /** Receives in one shared receive queue. */
  MAX_SRQ_WR(
      Limit.MAX_SRQ_WR,
      1,
      16_384,
      1_048_576,
      "Largest number of receives in one shared receive queue."),
  /** Elements of a receive in a shared receive queue. */
  MAX_SRQ_SGE(
      Limit.MAX_SRQ_SGE,
      1,
      32,
      32,
      "Largest number of scatter elements of a receive in a shared receive queue."),
  /** Multicast groups. */
  MAX_MCAST_GRP(Limit.MAX_MCAST_GRP, 1, 8_192, 16_383, "Largest number of multicast groups."),
  /** Queue pairs attached to one multicast group. */
  MAX_MCAST_QP_ATTACH(
      Limit.MAX_MCAST_QP_ATTACH,
      1,
      256,
      65_536,
      "Largest number of queue pairs attached to one multicast group.");

  private final @Nullable Limit limit;
  private final ConfigKey.Whole setting;

  NumberKey(@Nullable Limit limit, int least, int standard, int most, String text) {
    this.limit = limit;
    setting = new ConfigKey.Whole(name().toLowerCase(Locale.ROOT), least, standard, most, text);
  }

  /** {@return the declaration of the key} */
  public ConfigKey.Whole setting() {
    return setting;
  }

  /** {@return the name of the key in a configuration} */
  public String key() {
    return setting.name();
  }

  /** {@return the limit of the device that the key sets, or null} */
  public @Nullable Limit limit() {
    return limit;
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
        limits.put(limit, settings.number(key.setting));
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
    int vectors = settings.number(COMP_VECTORS.setting);
    return vectors == 0 ? Math.min(64, Runtime.getRuntime().availableProcessors()) : vectors;
  }
}
