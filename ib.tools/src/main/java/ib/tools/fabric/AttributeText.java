package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Formats attributes of subnet management as libibmad prints them, one field per line. */
final class AttributeText {
  private static final int NAME_WIDTH = 33;
  private static final int DESCRIPTION_BYTES = 64;
  private static final List<String> WIDTHS = List.of("1X", "4X", "8X", "12X", "2X");
  private static final List<String> SPEEDS = List.of("2.5 Gbps", "5.0 Gbps", "10.0 Gbps");
  private static final List<String> EXTENDED =
      List.of("14.0625 Gbps", "25.78125 Gbps", "53.125 Gbps", "106.25 Gbps", "", "212.5 Gbps");
  private static final List<String> EXTENDED_2 = EXTENDED.subList(5, 6);

  // by bit, from 0; empty where the specification reserves the bit (IBA tables 146 and 147)
  private static final List<String> CAPABILITIES =
      List.of(
          "",
          "IsSM",
          "IsNoticeSupported",
          "IsTrapSupported",
          "IsOptionalIPDSupported",
          "IsAutomaticMigrationSupported",
          "IsSLMappingSupported",
          "IsMKeyNVRAM",
          "IsPKeyNVRAM",
          "IsLedInfoSupported",
          "IsSMdisabled",
          "IsSystemImageGUIDsupported",
          "IsPkeySwitchExternalPortTrapSupported",
          "",
          "IsExtendedSpeedsSupported",
          "IsCapabilityMask2Supported",
          "IsCommunicatonManagementSupported",
          "IsSNMPTunnelingSupported",
          "IsReinitSupported",
          "IsDeviceManagementSupported",
          "IsVendorClassSupported",
          "IsDRNoticeSupported",
          "IsCapabilityMaskNoticeSupported",
          "IsBootManagementSupported",
          "IsLinkRoundTripLatencySupported",
          "IsClientRegistrationSupported",
          "IsOtherLocalChangesNoticeSupported",
          "IsLinkSpeedWidthPairsTableSupported",
          "IsVendorSpecificMadsTableSupported",
          "IsMcastPkeyTrapSuppressionSupported",
          "IsMulticastFDBTopSupported",
          "IsHierarchyInfoSupported");
  private static final List<String> CAPABILITIES_2 =
      List.of(
          "IsSetNodeDescriptionSupported",
          "IsPortInfoExtendedSupported",
          "IsVirtualizationSupported",
          "IsSwitchPortStateTableSupported",
          "IsLinkWidth2xSupported",
          "IsLinkSpeedHDRSupported",
          "IsMKeyProtectBitsExtSupported",
          "IsEnhancedTrap128Supported",
          "IsPartitionTopSupported",
          "IsEnhancedQoSArbiterSupported",
          "IsLinkSpeedNDRSupported");

  private AttributeText() {}

  /**
   * {@return NodeInfo}
   *
   * @param info the attribute
   */
  static String node(MemorySegment info) {
    List<String> lines = new ArrayList<>();
    for (NodeInfo f : NodeInfo.values()) {
      long v = f.of(info);
      lines.add(
          line(
              f.label(),
              switch (f) {
                case NODE_TYPE -> nodeType((int) v);
                case SYSTEM_IMAGE_GUID, NODE_GUID, PORT_GUID -> hex(v, 16);
                case DEVICE_ID -> hex(v, 4);
                case REVISION -> hex(v, 8);
                case VENDOR_ID -> hex(v, 6);
                default -> String.valueOf(v);
              }));
    }
    return String.join("\n", lines);
  }

  /**
   * {@return SwitchInfo}
   *
   * @param info the attribute
   */
  static String switchInfo(MemorySegment info) {
    List<String> lines = new ArrayList<>();
    for (SwitchInfo f : SwitchInfo.values()) {
      long v = f.of(info);
      boolean top = f == SwitchInfo.MULTICAST_FDB_TOP;
      // libibmad spells this one field in capitals
      lines.add(line(top ? "MulticastFDBTop" : f.label(), top ? hex(v, 4) : String.valueOf(v)));
    }
    return String.join("\n", lines);
  }

  /**
   * {@return PortInfo}
   *
   * @param info the attribute
   * @param keys whether the M_Key is shown
   */
  static String port(MemorySegment info, boolean keys) {
    List<String> lines = new ArrayList<>();
    boolean more = PortInfo.LINK_SPEED_EXT_SUPPORTED_2.of(info) != 0;
    for (PortInfo f : PortInfo.values()) {
      long v = f.of(info);
      if (f.compareTo(PortInfo.LINK_SPEED_EXT_ENABLED) > 0 && !more) {
        break; // infiniband-diags before XDR has no such lines
      }
      switch (f) {
        case CAPABILITY_MASK -> {
          lines.add(line(f.label(), hex(v, 1)));
          flags(lines, v, CAPABILITIES);
        }
        case CAPABILITY_MASK_2 -> {
          lines.add(line("CapabilityMask2", hex(v, 1)));
          flags(lines, v, CAPABILITIES_2);
        }
        default -> lines.add(portLine(f, info, keys));
      }
    }
    return String.join("\n", lines);
  }

  /** {@return one field of a port, as a line} */
  static String portLine(PortInfo f, MemorySegment info, boolean keys) {
    String hidden = f == PortInfo.M_KEY && !keys ? "<not displayed>" : "";
    return line(f.label(), hidden.isEmpty() ? portValue(f, f.of(info)) : hidden);
  }

  private static String portValue(PortInfo f, long v) {
    int i = (int) v;
    return switch (f) {
      case GID_PREFIX, M_KEY -> hex(v, 16);
      case DIAG_CODE -> hex(v, 4);
      case INIT_TYPE, INIT_TYPE_REPLY -> hex(v, 2);
      case LINK_WIDTH_ENABLED -> some(v, WIDTHS);
      case LINK_WIDTH_SUPPORTED -> some(v, WIDTHS) + extension(v);
      case LINK_WIDTH_ACTIVE -> one(v, WIDTHS);
      case LINK_SPEED_ENABLED -> some(v, SPEEDS);
      case LINK_SPEED_SUPPORTED -> some(v, SPEEDS) + extension(v);
      case LINK_SPEED_ACTIVE -> i == 0 ? "Extended speed" : one(v, SPEEDS);
      case LINK_SPEED_EXT_ACTIVE -> i == 0 ? "No Extended Speed" : one(v, EXTENDED);
      case LINK_SPEED_EXT_SUPPORTED, LINK_SPEED_EXT_ENABLED -> some(v, EXTENDED);
      case LINK_SPEED_EXT_ACTIVE_2 -> i == 0 ? "No Extended Speed 2" : one(v, EXTENDED_2);
      case LINK_SPEED_EXT_SUPPORTED_2, LINK_SPEED_EXT_ENABLED_2 -> some(v, EXTENDED_2);
      case PORT_STATE -> state(i);
      case PORT_PHYS_STATE -> physState(i);
      case LINK_DOWN_DEFAULT_STATE -> i == 1 ? "Sleep" : i == 2 ? "Polling" : number(v);
      case NEIGHBOR_MTU, MTU_CAP -> i >= 1 && i <= 5 ? number(128L << i) : "? (" + v + ")";
      case VL_CAP, OPERATIONAL_VLS ->
          switch (i) {
            case 1 -> "VL0";
            case 2 -> "VL0-1";
            case 3 -> "VL0-3";
            case 4 -> "VL0-7";
            case 5 -> "VL0-14";
            default -> "? (" + v + ")";
          };
      default -> number(v);
    };
  }

  /** {@return libibmad's remark on a port without 1X or 2.5 Gbps, which all must have} */
  private static String extension(long supported) {
    return (supported & 1) == 0 ? " (IBA extension)" : "";
  }

  /**
   * {@return a logical port state}
   *
   * @param state number
   */
  static String state(int state) {
    return switch (state) {
      case 0 -> "NoChange";
      case 1 -> "Down";
      case 2 -> "Initialize";
      case 3 -> "Armed";
      case 4 -> "Active";
      default -> "? (" + state + ")";
    };
  }

  /**
   * {@return a physical port state}
   *
   * @param state number
   */
  static String physState(int state) {
    return switch (state) {
      case 0 -> "NoChange";
      case 1 -> "Sleep";
      case 2 -> "Polling";
      case 3 -> "Disabled";
      case 4 -> "PortConfigurationTraining";
      case 5 -> "LinkUp";
      case 6 -> "LinkErrorRecovery";
      case 7 -> "PhyTest";
      default -> "? (" + state + ")";
    };
  }

  /**
   * {@return the kind of node}
   *
   * @param type number
   */
  static String nodeType(int type) {
    return switch (type) {
      case 1 -> "Channel Adapter";
      case 2 -> "Switch";
      case 3 -> "Router";
      default -> "?(" + type + ")?";
    };
  }

  /**
   * {@return width in use, as {@code 4X}}
   *
   * @param info PortInfo
   */
  static String width(MemorySegment info) {
    return one(PortInfo.LINK_WIDTH_ACTIVE.of(info), WIDTHS);
  }

  /**
   * {@return speed in use, as {@code 2.5 Gbps}}
   *
   * @param info PortInfo
   */
  static String speed(MemorySegment info) {
    long extended = PortInfo.extendedSpeed(info);
    return extended != 0
        ? one(extended, EXTENDED)
        : one(PortInfo.LINK_SPEED_ACTIVE.of(info), SPEEDS);
  }

  /**
   * {@return the largest speed or width in a mask; empty for an empty mask}
   *
   * @param mask bits of the supported values
   * @param speeds true: speeds; false: widths
   */
  static String greatest(long mask, boolean speeds) {
    List<String> all = speeds ? SPEEDS : WIDTHS.subList(0, 4); // 2X is less than 4X
    String found = "";
    for (int i = 0; i < all.size(); i++) {
      found = (mask >> i & 1) == 0 ? found : all.get(i);
    }
    return found;
  }

  /**
   * {@return the description up to its first zero byte}
   *
   * @param description NodeDescription
   */
  static String description(MemorySegment description) {
    byte[] bytes = description.asSlice(0, DESCRIPTION_BYTES).toArray(ValueLayout.JAVA_BYTE);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  /**
   * {@return a line of a dump}
   *
   * @param name field
   * @param value value
   */
  static String line(String name, String value) {
    return name + ":" + ".".repeat(Math.max(0, NAME_WIDTH - 1 - name.length())) + value;
  }

  /**
   * {@return a number in hexadecimal digits}
   *
   * @param value unsigned
   * @param digits how many at least
   */
  static String hex(long value, int digits) {
    return String.format("0x%0" + digits + "x", value);
  }

  /**
   * {@return a field in hexadecimal digits}
   *
   * @param field which
   * @param from the attribute
   * @param digits how many at least
   */
  static String hex(MadField field, MemorySegment from, int digits) {
    return hex(field.of(from), digits);
  }

  private static void flags(List<String> lines, long mask, List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      if ((mask >> i & 1) != 0 && !names.get(i).isEmpty()) {
        lines.add("\t\t\t\t" + names.get(i));
      }
    }
  }

  private static String some(long mask, List<String> names) {
    StringJoiner text = new StringJoiner(" or ");
    for (int i = 0; i < names.size(); i++) {
      if ((mask >> i & 1) != 0) {
        text.add(names.get(i));
      }
    }
    return text.length() == 0 ? number(mask) : text.toString();
  }

  private static String one(long bit, List<String> names) {
    int i = Long.numberOfTrailingZeros(bit);
    return Long.bitCount(bit) == 1 && i < names.size() ? names.get(i) : "? (" + bit + ")";
  }

  private static String number(long value) {
    return String.valueOf(value);
  }
}
