package ib.core.verbs;

import java.util.Set;

/**
 * The capabilities of a device: the bits of {@code ibv_device_cap_flags} (those above 31 of the
 * extended query), and capabilities that a C program learns only from a failing call.
 */
public enum Cap {
  /** The work request capacity of a QP can be changed. */
  RESIZE_MAX_WR(0),
  /** Counts P_Key violations per port. */
  BAD_PKEY_CNTR(1),
  /** Counts Q_Key violations per port. */
  BAD_QKEY_CNTR(2),
  /** Raw packet multicast. */
  RAW_MULTI(3),
  /** Automatic path migration. */
  AUTO_PATH_MIG(4),
  /** The port of a QP can be changed in SQD. */
  CHANGE_PHY_PORT(5),
  /** Checks the port of an address handle against that of the QP. */
  UD_AV_PORT_ENFORCE(6),
  /** Honours CUR_STATE in modify. */
  CURR_QP_STATE_MOD(7),
  /** A port can be shut down. */
  SHUTDOWN_PORT(8),
  /** Sets the InitType of a port. */
  INIT_TYPE(9),
  /** Raises PORT_ACTIVE. */
  PORT_ACTIVE_EVENT(10),
  /** Has a system image GUID. */
  SYS_IMAGE_GUID(11),
  /** RC QPs send RNR NAKs. */
  RC_RNR_NAK_GEN(12),
  /** An SRQ can be resized. */
  SRQ_RESIZE(13),
  /** Notification after N completions. */
  N_NOTIFY_CQ(14),
  /** Memory windows, type 1. */
  MEM_WINDOW(17),
  /** IP checksum offload on UD. */
  UD_IP_CSUM(18),
  /** Sends with segmentation offload on UD ({@link WrOpcode#LSO}). */
  UD_TSO(19),
  /** Extended reliable connections. */
  XRC(20),
  /**
   * Fast registration, local invalidate, send with invalidate. There is no capability for fast
   * memory regions of the old kind, see {@link MemoryRegion#map}.
   */
  MEM_MGT_EXTENSIONS(21),
  /** Memory windows type 2A. */
  MEM_WINDOW_TYPE_2A(23),
  /** Memory windows type 2B. */
  MEM_WINDOW_TYPE_2B(24),
  /** IP checksum offload on RC. */
  RC_IP_CSUM(25),
  /** IP checksum offload on raw packet QPs. */
  RAW_IP_CSUM(26),
  /** Flow steering. */
  MANAGED_FLOW_STEERING(29),
  /** Receives the frame check sequence on raw packet QPs. */
  RAW_SCATTER_FCS(34),
  /** Pads writes to a full cache line. */
  PCI_WRITE_END_PADDING(36),
  /** Flush to global visibility. */
  FLUSH_GLOBAL(38),
  /** Flush to persistence. */
  FLUSH_PERSISTENT(39),
  /** Atomic write. */
  ATOMIC_WRITE(40),
  /** RC queue pairs. No bit in C. */
  RC(Cap.NO_BIT),
  /** UC queue pairs. No bit in C. */
  UC(Cap.NO_BIT),
  /** UD queue pairs. No bit in C. */
  UD(Cap.NO_BIT),
  /** A subnet management QP. No bit in C. */
  SMI(Cap.NO_BIT),
  /** A general services QP. No bit in C. */
  GSI(Cap.NO_BIT),
  /** Shared receive queues. No bit in C. */
  SRQ(Cap.NO_BIT),
  /** Compare and swap, fetch and add. No bit in C. */
  ATOMICS(Cap.NO_BIT),
  /** Multicast attach. No bit in C. */
  MULTICAST(Cap.NO_BIT),
  /** A CQ can be resized. No bit in C. */
  CQ_RESIZE(Cap.NO_BIT),
  /** CQ event moderation. No bit in C. */
  CQ_MODERATION(Cap.NO_BIT),
  /** A memory region can be registered anew. No bit in C. */
  REREG_MR(Cap.NO_BIT);

  private static final int NO_BIT = -1;

  private final int bit;

  Cap(int bit) {
    this.bit = bit;
  }

  /** {@return the bit in {@code device_cap_flags_ex}; 0 if C has none} */
  public long mask() {
    return bit == NO_BIT ? 0 : 1L << bit;
  }

  /**
   * The flags word that ibv_devinfo prints. Any context.
   *
   * @param caps capabilities; those without a bit count for nothing
   * @return the bits, the lower 32 of which are {@code device_cap_flags}
   */
  public static long flags(Set<Cap> caps) {
    long flags = 0;
    for (Cap c : caps) {
      flags |= c.mask();
    }
    return flags;
  }
}
