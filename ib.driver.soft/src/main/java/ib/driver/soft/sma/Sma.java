package ib.driver.soft.sma;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The subnet management agent of a node: Get and Set of its attributes (IBA 14.2.5). */
public final class Sma {
  private static final int GET = 0x01;
  private static final int SET = 0x02;
  private static final int GET_RESP = 0x81;
  private static final int BLOCK = 64;
  private static final int PER_PKEY_BLOCK = 32;
  private static final int PER_GUID_BLOCK = 8;

  private final PortInfoSet portInfo;
  private final Surroundings around;

  /**
   * Makes the agents of all nodes of a subnet.
   *
   * @param links the state machines
   * @param around notified of changes
   */
  public Sma(Links links, Surroundings around) {
    this.portInfo = new PortInfoSet(links, around);
    this.around = around;
  }

  /**
   * Answers an SMP.
   *
   * @param at the port at which the SMP arrived
   * @param mad 256 bytes, not changed
   * @param slid the source LID, 0xFFFF for a directed route
   * @return the response, or null when there is none
   */
  public @Nullable MemorySegment answer(NodePort at, MemorySegment mad, int slid) {
    MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(mad);
    int method = Smp.METHOD.in(mad);
    if (method != GET && method != SET) {
      return null;
    }
    NodePort managed = at.node().managed(at);
    if (!unlocked(managed, mad, method == SET)) {
      PortInfo.M_KEY_VIOLATIONS.set(
          managed.info(), Math.min(0xffff, PortInfo.M_KEY_VIOLATIONS.of(managed.info()) + 1));
      around.trap(managed, Trap.mkey(managed.lid(), mad, slid));
      return null;
    }
    SmpAttribute attribute = SmpAttribute.of(Smp.ATTRIBUTE_ID.in(mad));
    int modifier = Smp.ATTRIBUTE_MODIFIER.in(mad);
    int status = Status.BAD_ATTRIBUTE;
    if (MadField.read(mad, 0, 8) != 1 || MadField.read(mad, 16, 8) != 1) {
      status = Status.BAD_VERSION;
    } else if (attribute != null) {
      status = method == SET ? set(at, attribute, modifier, Smp.data(reply)) : Status.OK;
      if (status == Status.OK) {
        MemorySegment data = Smp.data(reply);
        data.fill((byte) 0);
        status = get(at, attribute, modifier, data);
      }
    }
    Smp.METHOD.set(reply, GET_RESP);
    Smp.STATUS.set(reply, status);
    Smp.DIRECTION.set(reply, Smp.MGMT_CLASS.in(mad) == Smp.CLASS_DIRECTED ? 1 : 0);
    return reply;
  }

  /** Returns whether the M_Key of an SMP allows the SMP (IBA 14.2.4.1). */
  private static boolean unlocked(NodePort port, MemorySegment mad, boolean set) {
    long own = PortInfo.M_KEY.of(port.info());
    return own == 0
        || own == Smp.M_KEY.of(mad)
        || !set && PortInfo.M_KEY_PROTECT_BITS.in(port.info()) < 2;
  }

  /**
   * Reads an attribute as a Get does, whatever the M_Key.
   *
   * @param at the port to which the request would be sent
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @return 64 bytes, a copy; null when the node has no such attribute
   */
  public static @Nullable MemorySegment read(NodePort at, SmpAttribute attribute, int modifier) {
    MemorySegment data = MemorySegment.ofArray(new byte[BLOCK]);
    return get(at, attribute, modifier, data) == Status.OK ? data : null;
  }

  /**
   * Reads an attribute.
   *
   * @param at the port to which the request was sent
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @param data 64 bytes of 0, which this method fills
   * @return a {@link Status} value
   */
  public static int get(NodePort at, SmpAttribute attribute, int modifier, MemorySegment data) {
    Node node = at.node();
    NodePort port = selected(at, attribute, modifier);
    return switch (attribute) {
      case NODE_DESCRIPTION -> {
        byte[] text = node.description().getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(text, 0, data, ValueLayout.JAVA_BYTE, 0, Math.min(text.length, BLOCK));
        yield Status.OK;
      }
      case NODE_INFO -> nodeInfo(at, data);
      case SWITCH_INFO -> {
        data.copyFrom(node.switchInfo());
        yield node.isSwitch() ? Status.OK : Status.BAD_ATTRIBUTE;
      }
      case PORT_INFO -> port == null ? Status.BAD_FIELD : portInfo(at, port, data);
      case PKEY_TABLE ->
          port == null
              ? Status.BAD_FIELD
              : list(data, port.pkeys(), modifier & 0xffff, PER_PKEY_BLOCK);
      case GUID_INFO -> {
        int from = modifier * PER_GUID_BLOCK;
        boolean there = port != null && from >= 0 && from < NodePort.GUIDS;
        for (int i = 0; there && port != null && i < PER_GUID_BLOCK; i++) {
          MadField.write(data, i * 64, 64, port.guids()[from + i]);
        }
        yield there ? Status.OK : Status.BAD_FIELD;
      }
      case SL_TO_VL_MAPPING -> bytes(port == null ? null : port.lanes(), data);
      case VL_ARBITRATION -> {
        int block = modifier >>> 16;
        yield block < 1 || block > 4 || port == null
            ? Status.BAD_FIELD
            : bytes(port.arbitration(block), data);
      }
      case LINEAR_FORWARDING -> Tables.linear(node, modifier, data);
      case MULTICAST_FORWARDING -> Tables.multicast(node, modifier, data);
      case MLNX_EXT_PORT_INFO ->
          Status.OK; // the tools request it of this vendor's devices: no FDR10
      case NOTICE, SM_INFO -> Status.BAD_ATTRIBUTE;
    };
  }

  /**
   * Writes an attribute.
   *
   * @param at the port to which the request was sent
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @param data 64 bytes
   * @return a {@link Status} value
   */
  public int set(NodePort at, SmpAttribute attribute, int modifier, MemorySegment data) {
    Node node = at.node();
    NodePort port = selected(at, attribute, modifier);
    return switch (attribute) {
      case PORT_INFO -> port == null ? Status.BAD_FIELD : portInfo.set(at, port, data);
      case SWITCH_INFO -> {
        if (node.isSwitch()) {
          switchInfo(node.switchInfo(), data);
        }
        yield node.isSwitch() ? Status.OK : Status.BAD_ATTRIBUTE;
      }
      case PKEY_TABLE ->
          port == null ? Status.BAD_FIELD : portInfo.pkeys(port, modifier & 0xffff, data);
      case GUID_INFO -> port == null ? Status.BAD_FIELD : portInfo.guids(port, modifier, data);
      case SL_TO_VL_MAPPING -> {
        if (port != null) {
          MemorySegment.copy(data, ValueLayout.JAVA_BYTE, 0, port.lanes(), 0, port.lanes().length);
        }
        yield port == null ? Status.BAD_FIELD : Status.OK;
      }
      case VL_ARBITRATION -> {
        int block = modifier >>> 16;
        boolean there = block >= 1 && block <= 4 && port != null;
        if (there && port != null) {
          MemorySegment.copy(data, ValueLayout.JAVA_BYTE, 0, port.arbitration(block), 0, BLOCK);
        }
        yield there ? Status.OK : Status.BAD_FIELD;
      }
      case LINEAR_FORWARDING -> Tables.linearSet(node, modifier, data, around);
      case MULTICAST_FORWARDING -> Tables.multicastSet(node, modifier, data, around);
      case NODE_DESCRIPTION, NODE_INFO, NOTICE, SM_INFO, MLNX_EXT_PORT_INFO -> Status.BAD_ATTRIBUTE;
    };
  }

  /** Returns the port that an attribute modifier selects (IBA 14.2.5, for each attribute). */
  private static @Nullable NodePort selected(NodePort at, SmpAttribute attribute, int modifier) {
    Node node = at.node();
    int number =
        switch (attribute) {
          case PORT_INFO -> modifier & 0xff;
          case PKEY_TABLE -> modifier >>> 16;
          case SL_TO_VL_MAPPING, VL_ARBITRATION -> modifier & 0xff;
          default -> 0;
        };
    boolean own = !node.isSwitch() && (number == 0 || attribute != SmpAttribute.PORT_INFO);
    return own ? at : node.port(number);
  }

  private static int nodeInfo(NodePort at, MemorySegment data) {
    Node node = at.node();
    NodeInfo.BASE_VERSION.set(data, 1);
    NodeInfo.CLASS_VERSION.set(data, 1);
    NodeInfo.NODE_TYPE.set(data, node.type().value());
    NodeInfo.NUM_PORTS.set(data, node.portCount());
    NodeInfo.SYSTEM_IMAGE_GUID.set(data, node.systemImageGuid());
    NodeInfo.NODE_GUID.set(data, node.guid());
    NodeInfo.PORT_GUID.set(data, at.guid());
    NodeInfo.PARTITION_CAP.set(data, NodePort.PKEYS);
    NodeInfo.DEVICE_ID.set(data, node.deviceId());
    NodeInfo.REVISION.set(data, 1);
    NodeInfo.LOCAL_PORT_NUM.set(data, at.number());
    NodeInfo.VENDOR_ID.set(data, node.vendorId());
    return Status.OK;
  }

  private static int portInfo(NodePort at, NodePort port, MemorySegment data) {
    data.copyFrom(port.info());
    PortInfo.CAPABILITY_MASK.set(data, port.capabilities());
    PortInfo.CAPABILITY_MASK_2.set(data, port.capabilities2());
    PortInfo.LOCAL_PORT_NUM.set(data, at.number());
    if (port.adapter() != null) {
      PortInfo.P_KEY_VIOLATIONS.set(data, port.adapter().badPkeys());
      PortInfo.Q_KEY_VIOLATIONS.set(data, port.adapter().badQkeys());
    }
    return Status.OK;
  }

  private static void switchInfo(MemorySegment now, MemorySegment data) {
    for (SwitchInfo field :
        Arrays.asList(
            SwitchInfo.LINEAR_FDB_TOP,
            SwitchInfo.DEFAULT_PORT,
            SwitchInfo.DEFAULT_MCAST_PRIMARY_PORT,
            SwitchInfo.DEFAULT_MCAST_NOT_PRIMARY_PORT,
            SwitchInfo.LIFE_TIME_VALUE,
            SwitchInfo.MULTICAST_FDB_TOP)) {
      field.set(now, field.of(data));
    }
    if (SwitchInfo.PORT_STATE_CHANGE.in(data) == 1) { // write 1 to clear (IBA 14.2.5.4)
      SwitchInfo.PORT_STATE_CHANGE.set(now, 0);
    }
  }

  private static int list(MemorySegment data, int[] table, int block, int perBlock) {
    int from = block * perBlock;
    if (from >= table.length) {
      return Status.BAD_FIELD;
    }
    for (int i = 0; i < perBlock; i++) {
      MadField.write(data, i * 16, 16, table[from + i]);
    }
    return Status.OK;
  }

  private static int bytes(byte @Nullable [] from, MemorySegment data) {
    if (from == null) {
      return Status.BAD_FIELD;
    }
    MemorySegment.copy(from, 0, data, ValueLayout.JAVA_BYTE, 0, from.length);
    return Status.OK;
  }

  /** The forwarding tables of a switch, in blocks (IBA 14.2.5.10, 14.2.5.12). */
  private static final class Tables {
    private static final int LIDS = 32; // in a multicast block
    private static final int PORTS = 16; // in a multicast position

    private Tables() {}

    static int linear(Node node, int block, MemorySegment data) {
      if (!inside(node, block)) {
        return Status.BAD_FIELD;
      }
      for (int i = 0; i < BLOCK; i++) {
        data.set(ValueLayout.JAVA_BYTE, i, (byte) node.linear(block * BLOCK + i));
      }
      return Status.OK;
    }

    static int linearSet(Node node, int block, MemorySegment data, Surroundings around) {
      if (!inside(node, block)) {
        return Status.BAD_FIELD;
      }
      for (int i = 0; i < BLOCK; i++) {
        int lid = block * BLOCK + i;
        int port = data.get(ValueLayout.JAVA_BYTE, i) & 0xff;
        if (node.linear(lid) != port) {
          node.linear(lid, port);
          around.forwards(lid, 1);
        }
      }
      return Status.OK;
    }

    private static boolean inside(Node node, int block) {
      return node.isSwitch() && block >= 0 && block < Node.LINEAR_CAP / BLOCK;
    }

    static int multicast(Node node, int modifier, MemorySegment data) {
      int first = first(modifier);
      int position = modifier >>> 28;
      if (!node.isSwitch() || first < 0) {
        return Status.BAD_FIELD;
      }
      for (int i = 0; i < LIDS; i++) {
        BitSet ports = node.multicast().get(first + i);
        int mask = 0;
        for (int b = 0; ports != null && b < PORTS; b++) {
          mask |= ports.get(position * PORTS + b) ? 1 << b : 0;
        }
        MadField.write(data, i * 16, 16, mask);
      }
      return Status.OK;
    }

    static int multicastSet(Node node, int modifier, MemorySegment data, Surroundings around) {
      int first = first(modifier);
      int position = modifier >>> 28;
      if (!node.isSwitch() || first < 0) {
        return Status.BAD_FIELD;
      }
      for (int i = 0; i < LIDS; i++) {
        int mask = (int) MadField.read(data, i * 16, 16);
        BitSet ports = node.multicast().computeIfAbsent(first + i, k -> new BitSet());
        BitSet before = (BitSet) ports.clone();
        for (int b = 0; b < PORTS; b++) {
          ports.set(position * PORTS + b, (mask >>> b & 1) != 0);
        }
        if (!ports.equals(before)) {
          around.forwards(first + i, 1);
        }
        if (ports.isEmpty()) {
          node.multicast().remove(first + i);
        }
      }
      return Status.OK;
    }

    /** Returns the first LID of a block, or -1 when there is no such block. */
    private static int first(int modifier) {
      int block = modifier & 0x1ff;
      return block * LIDS < Node.MULTICAST_CAP ? Node.MULTICAST_FIRST + block * LIDS : -1;
    }
  }
}
