package ib.driver.soft.topology;

import ib.core.mad.smp.SwitchInfo;
import ib.core.verbs.NodeType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node of the subnet: an adapter or a switch, with the attributes of its management agent. */
public final class Node {
  /** The number of LIDs that a switch can forward. */
  public static final int LINEAR_CAP = 0xC000;

  /** The first multicast LID. */
  public static final int MULTICAST_FIRST = 0xC000;

  /** The number of multicast LIDs that a switch can forward: all. */
  public static final int MULTICAST_CAP = 0x3FFF;

  /** The entry of a LID to which the switch has no route. */
  public static final int NO_PORT = 0xFF;

  private static final int LIFE_TIME = 18;
  private static final int VENDOR_ID = 0x0002c9; // the tools support switches of this vendor
  private static final int DEVICE_ID = 0x5346;

  private final NodeType type;
  private final long guid;
  private final @Nullable NodePort[] ports; // by number; an adapter has no port 0
  private final byte[] linear; // of a switch
  private final Map<Integer, BitSet> multicast = new TreeMap<>(); // of a switch
  private final MemorySegment switchInfo = MemorySegment.ofArray(new byte[64]);
  private String description;
  private long systemImageGuid;
  private int vendorId = VENDOR_ID;
  private int deviceId = DEVICE_ID;

  /**
   * Makes a node whose ports have no cables.
   *
   * @param type CA, SWITCH or ROUTER
   * @param guid node GUID; port n of an adapter has the GUID n above it, all ports of a switch have
   *     the node's
   * @param ports physical ports, 1 to 254
   * @param description the node description
   */
  public Node(NodeType type, long guid, int ports, String description) {
    this.type = type;
    this.guid = guid;
    this.systemImageGuid = guid;
    this.description = description;
    this.ports = new @Nullable NodePort[ports + 1];
    boolean sw = type == NodeType.SWITCH;
    for (int n = sw ? 0 : 1; n <= ports; n++) {
      this.ports[n] = new NodePort(this, n, sw ? guid : guid + n);
    }
    linear = new byte[sw ? LINEAR_CAP : 0];
    Arrays.fill(linear, (byte) NO_PORT);
    if (sw) {
      SwitchInfo.LINEAR_FDB_CAP.set(switchInfo, LINEAR_CAP);
      SwitchInfo.MULTICAST_FDB_CAP.set(switchInfo, MULTICAST_CAP);
      SwitchInfo.PARTITION_ENFORCEMENT_CAP.set(switchInfo, NodePort.PKEYS);
      SwitchInfo.INBOUND_ENFORCEMENT_CAP.set(switchInfo, 1);
      SwitchInfo.OUTBOUND_ENFORCEMENT_CAP.set(switchInfo, 1);
      SwitchInfo.LIFE_TIME_VALUE.set(switchInfo, LIFE_TIME);
      SwitchInfo.ENHANCED_PORT_0.set(switchInfo, 1);
    }
  }

  /** {@return CA, SWITCH or ROUTER} */
  public NodeType type() {
    return type;
  }

  /** {@return whether it is a switch} */
  public boolean isSwitch() {
    return type == NodeType.SWITCH;
  }

  /** {@return the node GUID} */
  public long guid() {
    return guid;
  }

  /** {@return the system image GUID} */
  public long systemImageGuid() {
    return systemImageGuid;
  }

  /** {@return the vendor identifier, 24 bits} */
  public int vendorId() {
    return vendorId;
  }

  /** {@return the device identifier, 16 bits} */
  public int deviceId() {
    return deviceId;
  }

  /**
   * Sets the system image GUID and the identifiers of the vendor and of the device.
   *
   * @param systemImage system image GUID
   * @param vendor vendor identifier
   * @param device device identifier
   */
  void make(long systemImage, int vendor, int device) {
    systemImageGuid = systemImage;
    vendorId = vendor;
    deviceId = device;
  }

  /** {@return the node description} */
  public String description() {
    return description;
  }

  /**
   * Sets the node description.
   *
   * @param text the description, at most 64 bytes
   */
  public void description(String text) {
    description = text;
  }

  /** {@return the number of physical ports} */
  public int portCount() {
    return ports.length - 1;
  }

  /**
   * Returns a port.
   *
   * @param number 0 for the management port of a switch, else from 1
   * @return the port, or null when there is none of that number
   */
  public @Nullable NodePort port(int number) {
    return number < 0 || number >= ports.length ? null : ports[number];
  }

  /** {@return the physical ports, from 1} */
  public List<NodePort> ports() {
    List<NodePort> all = new ArrayList<>();
    for (int n = 1; n < ports.length; n++) {
      NodePort p = ports[n];
      if (p != null) {
        all.add(p);
      }
    }
    return all;
  }

  /**
   * Returns the port whose LID and M_Key hold for a datagram that arrives at a port: port 0 of a
   * switch, and otherwise the same port.
   *
   * @param arrival the port at which the datagram has arrived
   * @return the managed port
   */
  public NodePort managed(NodePort arrival) {
    NodePort zero = ports[0];
    return zero == null ? arrival : zero;
  }

  /** {@return SwitchInfo, 64 bytes, to be changed in place} */
  public MemorySegment switchInfo() {
    return switchInfo;
  }

  /**
   * Returns an entry of the linear forwarding table.
   *
   * @param lid 0 to 0xBFFF
   * @return the port, or {@link #NO_PORT}
   */
  public int linear(int lid) {
    return lid < 0 || lid >= linear.length ? NO_PORT : linear[lid] & 0xff;
  }

  /**
   * Writes an entry of the linear forwarding table.
   *
   * @param lid 0 to 0xBFFF
   * @param port the port, or {@link #NO_PORT}
   */
  public void linear(int lid, int port) {
    linear[lid] = (byte) port;
  }

  /** {@return the multicast forwarding table: ports by multicast LID, to be changed in place} */
  public Map<Integer, BitSet> multicast() {
    return multicast;
  }

  @Override
  public String toString() {
    return description;
  }
}
