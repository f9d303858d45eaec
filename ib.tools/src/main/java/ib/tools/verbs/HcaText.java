package ib.tools.verbs;

import ib.core.verbs.AtomicCap;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Limit;
import ib.core.verbs.NodeType;
import ib.tools.output.Units;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Formats a device as {@code ibv_devinfo} does, byte for byte (rdma-core 44, devinfo.c). */
final class HcaText {
  private static final String FLAG = "\t\t\t\t\t";
  private static final long LOW = 0xffff_ffffL;

  private final StringBuilder out = new StringBuilder();

  private HcaText() {}

  static String of(Hca hca) {
    HcaText text = new HcaText();
    text.device(hca);
    if (hca.verbose()) {
      text.attributes(hca.attr());
    }
    for (Hca.Port port : hca.ports()) {
      text.out.append(PortText.of(port, hca.info().nodeType(), hca.verbose())).append('\n');
    }
    text.out.setLength(text.out.length() - 1); // the shell prints the last line's end
    return text.out.toString();
  }

  static String transport(NodeType type) {
    return switch (type) {
      case CA, SWITCH, ROUTER -> "InfiniBand";
      case RNIC -> "iWARP";
      case USNIC -> "usNIC";
      case USNIC_UDP -> "usNIC UDP";
      case UNSPECIFIED -> "unspecified";
    };
  }

  private static int transportValue(NodeType type) {
    return switch (type) {
      case CA, SWITCH, ROUTER -> 0;
      case RNIC -> 1;
      case USNIC -> 2;
      case USNIC_UDP -> 3;
      case UNSPECIFIED -> 4;
    };
  }

  private void device(Hca hca) {
    DeviceAttr a = hca.attr();
    NodeType type = hca.info().nodeType();
    print("hca_id:\t%s\n", hca.info().name());
    print("\ttransport:\t\t\t%s (%d)\n", transport(type), transportValue(type));
    if (!a.fwVer().isEmpty()) {
      print("\tfw_ver:\t\t\t\t%s\n", a.fwVer());
    }
    print("\tnode_guid:\t\t\t%s\n", Units.guid(a.nodeGuid()));
    print("\tsys_image_guid:\t\t\t%s\n", Units.guid(a.sysImageGuid()));
    print("\tvendor_id:\t\t\t0x%04x\n", a.vendorId());
    print("\tvendor_part_id:\t\t\t%d\n", a.vendorPartId());
    print("\thw_ver:\t\t\t\t0x%X\n", a.hwVer());
    print("\tphys_port_cnt:\t\t\t%d\n", a.physPortCount());
  }

  private void attributes(DeviceAttr a) {
    print("\tmax_mr_size:\t\t\t0x%x\n", a.limit(Limit.MAX_MR_SIZE));
    print("\tpage_size_cap:\t\t\t0x%x\n", a.limit(Limit.PAGE_SIZE_CAP));
    limits(a, Limit.MAX_QP, Limit.MAX_QP_WR);
    long flags = Cap.flags(a.caps());
    print("\tdevice_cap_flags:\t\t0x%08x\n", flags & LOW);
    flags(a, flags & LOW);
    limits(a, Limit.MAX_SGE, Limit.MAX_EE_INIT_RD_ATOM);
    AtomicCap atomic = a.atomicCap();
    print("\tatomic_cap:\t\t\t%s (%d)\n", atomic.label(), atomic.value());
    limits(a, Limit.MAX_EE, Limit.MAX_FMR);
    limit(a, Limit.MAX_SRQ);
    if (a.limit(Limit.MAX_SRQ) != 0) {
      limits(a, Limit.MAX_SRQ_WR, Limit.MAX_SRQ_SGE);
    }
    limits(a, Limit.MAX_PKEYS, Limit.LOCAL_CA_ACK_DELAY);
    for (String transport : List.of("rc", "uc", "ud", "xrc")) {
      print(transport.equals("rc") ? "\tgeneral_odp_caps:\n" : "");
      print("\t%s_odp_caps:\n%sNO SUPPORT\n", transport, FLAG); // no on-demand paging here
    }
    print("\tcompletion_timestamp_mask not supported\n");
    print("\tcore clock not supported\n");
    print("\tdevice_cap_flags_ex:\t\t0x%X\n", flags);
    flags(a, flags & ~LOW);
    extensions(a);
  }

  private void extensions(DeviceAttr a) {
    print("\ttso_caps:\n\t\tmax_tso:\t\t\t%d\n", a.limit(Limit.MAX_TSO));
    print("\trss_caps:\n");
    print("\t\tmax_rwq_indirection_tables:\t\t\t%d\n", a.limit(Limit.MAX_RWQ_INDIRECTION_TABLES));
    print(
        "\t\tmax_rwq_indirection_table_size:\t\t\t%d\n",
        a.limit(Limit.MAX_RWQ_INDIRECTION_TABLE_SIZE));
    print("\t\trx_hash_function:\t\t\t\t0x%x\n", a.limit(Limit.RX_HASH_FUNCTION));
    print("\t\trx_hash_fields_mask:\t\t\t\t0x%X\n", a.limit(Limit.RX_HASH_FIELDS_MASK));
    print("\tmax_wq_type_rq:\t\t\t%d\n", a.limit(Limit.MAX_WQ_TYPE_RQ));
    print("\tpacket_pacing_caps:\n");
    print("\t\tqp_rate_limit_min:\t%dkbps\n", a.limit(Limit.QP_RATE_LIMIT_MIN));
    print("\t\tqp_rate_limit_max:\t%dkbps\n", a.limit(Limit.QP_RATE_LIMIT_MAX));
    print("\ttag matching not supported\n");
    if (a.has(Cap.CQ_MODERATION)) {
      print("\n\tcq moderation caps:\n\t\tmax_cq_count:\t65535\n\t\tmax_cq_period:\t65535 us\n\n");
    }
    print("\tnum_comp_vectors:\t\t%d\n", a.limit(Limit.NUM_COMP_VECTORS));
  }

  /** Prints the names of the flags; flags without a name in devinfo are printed as one number. */
  private void flags(DeviceAttr a, long flags) {
    long unknown = flags;
    for (Cap cap : a.caps()) {
      boolean named =
          cap.mask() <= LOW || cap == Cap.RAW_SCATTER_FCS || cap == Cap.PCI_WRITE_END_PADDING;
      if ((cap.mask() & flags) != 0 && named) {
        print("%s%s\n", FLAG, cap.name());
        unknown &= ~cap.mask();
      }
    }
    if (unknown != 0) {
      print("%sUnknown flags: 0x%X\n", FLAG, unknown);
    }
  }

  private void limits(DeviceAttr a, Limit first, Limit last) {
    Arrays.stream(Limit.values(), first.ordinal(), last.ordinal() + 1).forEach(l -> limit(a, l));
  }

  /** Prints a limit; the value begins in column 40 if the label is short enough. */
  private void limit(DeviceAttr a, Limit limit) {
    int column = 8 + limit.label().length() + 1;
    int tabs = Math.max(1, (40 - column + 7) / 8);
    print("\t%s:%s%d\n", limit.label(), "\t".repeat(tabs), a.limit(limit));
  }

  private void print(String format, Object... args) {
    out.append(String.format(Locale.ROOT, format, args));
  }
}
