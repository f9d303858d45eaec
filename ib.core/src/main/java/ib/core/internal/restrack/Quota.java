package ib.core.internal.restrack;

import ib.core.config.ConfigKey;
import ib.core.verbs.ObjectControl.Amount;
import ib.core.verbs.ObjectControl.Kind;

/**
 * The limits of each client on each device, so that a mistake of one client does not use up what
 * all clients need (A14). The defaults are far above what programs use, and below what ends a
 * process.
 */
public enum Quota {
  /** Protection domains. */
  PD("client_pd_max", 16_384, 1, "protection domains"),
  /** Completion queues. */
  CQ("client_cq_max", 65_536, 1, "completion queues"),
  /** Entries of all completion queues. */
  CQ_ENTRIES("client_cqe_max", 16_777_216, 1, "entries in completion queues"),
  /** Queue pairs. */
  QP("client_qp_max", 65_536, 1, "queue pairs"),
  /** Shared receive queues. */
  SRQ("client_srq_max", 16_384, 1, "shared receive queues"),
  /** Requests that fit into all queue pairs and shared receive queues. */
  WORK_REQUESTS("client_wr_max", 16_777_216, 1, "places for work requests"),
  /** Memory regions. */
  MR("client_mr_max", 262_144, 1, "memory regions"),
  /** Memory windows. */
  MW("client_mw_max", 262_144, 1, "memory windows"),
  /** Address handles. */
  AH("client_ah_max", 262_144, 1, "address handles"),
  /** Memory of regions that own theirs. */
  ALLOCATED("client_allocated_mb", 1_024, 1 << 20, "MiB of allocated memory"),
  /** Memory of the client's own that regions map. */
  REGISTERED("client_registered_mb", 65_536, 1 << 20, "MiB of registered memory"),
  /** Event handlers, MAD agents, sessions with the subnet administrator. */
  HANDLERS("client_handlers_max", 4_096, 1, "event handlers, MAD agents and SA sessions");

  private static final int MAX = 999_999_999;

  private final ConfigKey.Whole setting;

  /** How many of the counted things one unit of the key is. */
  final long unit;

  /** The name of the counted things, in the plural. */
  final String label;

  Quota(String key, int standard, long unit, String label) {
    String text = "The most " + label + " that a client may have on a device.";
    setting = new ConfigKey.Whole(key, 1, standard, MAX, text);
    this.unit = unit;
    this.label = label;
  }

  /** {@return the key of the configuration} */
  public ConfigKey.Whole setting() {
    return setting;
  }

  /** {@return the name of the key} */
  public String key() {
    return setting.name();
  }

  /** {@return the limit without a configuration, in units of the key} */
  public int standard() {
    return setting.standard();
  }

  static Quota of(Kind kind) {
    return switch (kind) {
      case PD -> PD;
      case CQ -> CQ;
      case QP -> QP;
      case SRQ -> SRQ;
      case MR -> MR;
      case MW -> MW;
      case AH -> AH;
      case DEVICE -> throw new IllegalArgumentException("no client makes a " + kind);
    };
  }

  static Quota of(Amount what) {
    return switch (what) {
      case CQ_ENTRIES -> CQ_ENTRIES;
      case WORK_REQUESTS -> WORK_REQUESTS;
      case ALLOCATED -> ALLOCATED;
      case REGISTERED -> REGISTERED;
    };
  }
}
