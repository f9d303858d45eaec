package ib.driver.soft.topology;

import ib.core.mad.smp.PortCapability;
import ib.core.mad.smp.PortInfo;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A port of a node: the attributes that its management agent reads and writes, and its cable. */
public final class NodePort {
  /** The number of entries of a P_Key table. */
  public static final int PKEYS = 128;

  /** The number of entries of a GUID table. */
  public static final int GUIDS = 128;

  private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;
  private static final int WIDTHS = 3; // 1X, 4X
  private static final int NO_EXTENDED = 30; // IBA 14.2.5.6, LinkSpeedExtEnabled
  private static final int[] WIDEST_FIRST = {8, 4, 2, 16, 1}; // 12X, 8X, 4X, 2X, 1X
  private static final int VL0_TO_7 = 4;
  private static final int MTU_4096 = 5;
  private static final int ERRORS_BORNE = 8; // as OpenSM sets it
  private static final int CAPABILITIES =
      PortCapability.IS_TRAP_SUPPORTED.mask()
          | PortCapability.IS_SL_MAPPING_SUPPORTED.mask()
          | PortCapability.IS_SYSTEM_IMAGE_GUID_SUPPORTED.mask()
          | PortCapability.IS_EXTENDED_SPEEDS_SUPPORTED.mask()
          | PortCapability.IS_VENDOR_CLASS_SUPPORTED.mask()
          | PortCapability.IS_CAPABILITY_MASK_NOTICE_SUPPORTED.mask()
          | PortCapability.IS_CLIENT_REREGISTRATION_SUPPORTED.mask();

  private static final int EXTENDED_SPEEDS_2 = 0x800; // IBA 1.8, CapabilityMask2
  private static final int XDR = 0x1000;

  private final Node node;
  private final int number;
  private long guid;
  private int widths = WIDTHS;
  private int speeds = LinkSpeed.EDR.upTo();
  private int speedsExt = LinkSpeed.EDR.upToExtended();
  private int firstLid;
  private int firstLmc;
  private final MemorySegment info = MemorySegment.ofArray(new byte[64]);
  private final int[] pkeys = new int[PKEYS];
  private final long[] guids = new long[GUIDS];
  private final byte[] lanes = new byte[8]; // of 16 service levels, 4 bits each
  private final byte[][] arbitration = new byte[4][64];
  private final PortTally tally = new PortTally();
  private @Nullable NodePort peer;
  private @Nullable Adapter adapter;
  private boolean managesSubnet;
  private boolean present;

  NodePort(Node node, int number, long guid) {
    this.node = node;
    this.number = number;
    this.guid = guid;
    this.present = node.isSwitch();
    reset();
  }

  /** Resets the port to its state at power-on; the cable stays connected. */
  public void reset() {
    info.fill((byte) 0);
    Arrays.fill(pkeys, 0);
    Arrays.fill(guids, 0);
    pkeys[0] = 0xffff;
    guids[0] = guid;
    PortInfo.GID_PREFIX.set(info, LINK_LOCAL);
    PortInfo.LINK_WIDTH_SUPPORTED.set(info, widths);
    PortInfo.LINK_WIDTH_ENABLED.set(info, widths);
    PortInfo.LINK_SPEED_SUPPORTED.set(info, speeds);
    PortInfo.LINK_SPEED_ENABLED.set(info, speeds);
    PortInfo.LINK_SPEED_EXT_SUPPORTED.set(info, LinkSpeed.first(speedsExt));
    PortInfo.LINK_SPEED_EXT_SUPPORTED_2.set(info, LinkSpeed.second(speedsExt));
    PortInfo.LINK_SPEED_EXT_ENABLED.set(info, LinkSpeed.first(speedsExt));
    PortInfo.LINK_SPEED_EXT_ENABLED_2.set(info, LinkSpeed.second(speedsExt));
    PortInfo.LID.set(info, firstLid);
    PortInfo.LMC.set(info, firstLmc);
    PortInfo.MTU_CAP.set(info, MTU_4096);
    PortInfo.NEIGHBOR_MTU.set(info, MTU_4096);
    PortInfo.VL_CAP.set(info, VL0_TO_7);
    PortInfo.OPERATIONAL_VLS.set(info, 1);
    PortInfo.GUID_CAP.set(info, GUIDS);
    PortInfo.LINK_DOWN_DEFAULT_STATE.set(info, PhysState.POLLING.value());
    PortInfo.SUBNET_TIMEOUT.set(info, 18);
    PortInfo.LOCAL_PHY_ERRORS.set(info, ERRORS_BORNE);
    PortInfo.OVERRUN_ERRORS.set(info, ERRORS_BORNE);
    PortInfo.RESP_TIME_VALUE.set(info, 16);
    active(LinkSpeed.fastest(speeds, speedsExt), widest(widths));
    boolean inner = node.isSwitch() && number == 0;
    state(inner ? PortState.ACTIVE : PortState.DOWN);
    phys(inner ? PhysState.LINK_UP : PhysState.POLLING);
  }

  /** {@return the node of this port} */
  public Node node() {
    return node;
  }

  /** {@return the number of this port, 0 for the management port of a switch} */
  public int number() {
    return number;
  }

  /** {@return the port GUID} */
  public long guid() {
    return guid;
  }

  /**
   * Sets the port GUID.
   *
   * @param value the GUID
   */
  void guid(long value) {
    guid = value;
    guids[0] = value;
  }

  /**
   * Sets the LID that this port has before a subnet manager assigns one.
   *
   * @param lid base LID
   * @param lmc LID mask count
   */
  void firstLid(int lid, int lmc) {
    firstLid = lid;
    firstLmc = lmc;
    reset();
  }

  /** {@return PortInfo, 64 bytes, to be changed in place} */
  public MemorySegment info() {
    return info;
  }

  /** {@return the P_Key table, to be changed in place} */
  public int[] pkeys() {
    return pkeys;
  }

  /** {@return the GUID table, to be changed in place} */
  public long[] guids() {
    return guids;
  }

  /** {@return the virtual lane of each service level, two to a byte, to be changed in place} */
  public byte[] lanes() {
    return lanes;
  }

  /**
   * Returns a block of the virtual lane arbitration table.
   *
   * @param block 1 to 4: low priority in two blocks, high priority in two
   * @return 64 bytes, to be changed in place
   */
  public byte[] arbitration(int block) {
    return arbitration[block - 1];
  }

  /** {@return the counters that this port has beside those of its adapter} */
  public PortTally tally() {
    return tally;
  }

  /** {@return the port at the other end of the cable, or null without a cable} */
  public @Nullable NodePort peer() {
    return peer;
  }

  /**
   * Connects this port and another one by a cable, or disconnects the present cable. The states of
   * both ports stay.
   *
   * @param other the port at the other end, or null for no cable
   */
  public void cable(@Nullable NodePort other) {
    NodePort before = peer;
    if (before != null) {
      before.peer = null;
    }
    peer = other;
    if (other != null) {
      other.peer = this;
    }
  }

  /** {@return whether the link can train: the adapter is plugged in, and its cable is connected} */
  public boolean present() {
    return present;
  }

  /**
   * Sets whether the link can train.
   *
   * @param there whether the adapter is plugged in and its cable is connected
   */
  public void present(boolean there) {
    present = there;
  }

  /** {@return the adapter behind this port, or null} */
  public @Nullable Adapter adapter() {
    return adapter;
  }

  /**
   * Sets the adapter behind this port.
   *
   * @param device the adapter, or null
   */
  public void adapter(@Nullable Adapter device) {
    adapter = device;
  }

  /** {@return whether a subnet manager runs at this port} */
  public boolean managesSubnet() {
    return managesSubnet;
  }

  /**
   * Sets whether a subnet manager runs at this port.
   *
   * @param runs whether one runs
   */
  public void managesSubnet(boolean runs) {
    managesSubnet = runs;
  }

  /** {@return the present value of PortInfo CapabilityMask} */
  public int capabilities() {
    Adapter a = adapter;
    int own = CAPABILITIES | (a == null ? 0 : a.capabilities());
    own |= capabilities2() == 0 ? 0 : PortCapability.IS_CAPABILITY_MASK_2_SUPPORTED.mask();
    return managesSubnet ? own | PortCapability.IS_SM.mask() : own;
  }

  /** {@return PortInfo CapabilityMask2: second extended speeds, when a port of the node has one} */
  public int capabilities2() {
    boolean any = node.ports().stream().anyMatch(p -> LinkSpeed.second(p.speedsExt) != 0);
    return any ? EXTENDED_SPEEDS_2 | XDR : 0;
  }

  /** {@return the logical state} */
  public PortState state() {
    return PortState.of(PortInfo.PORT_STATE.in(info));
  }

  /**
   * Sets the logical state, without notifying the adapter.
   *
   * @param state the state
   */
  public void state(PortState state) {
    PortInfo.PORT_STATE.set(info, state.value());
  }

  /** {@return the physical state} */
  public PhysState phys() {
    return PhysState.of(PortInfo.PORT_PHYS_STATE.in(info));
  }

  /**
   * Sets the physical state, without notifying the adapter.
   *
   * @param state the state
   */
  public void phys(PhysState state) {
    PortInfo.PORT_PHYS_STATE.set(info, state.value());
  }

  /**
   * Sets the supported width and speeds.
   *
   * @param width LinkWidthSupported
   * @param speed LinkSpeedSupported
   * @param extended extended speeds, as {@link LinkSpeed#upToExtended} has them
   */
  void offer(int width, int speed, int extended) {
    widths = width;
    speeds = speed;
    speedsExt = extended;
    reset();
  }

  /**
   * Trains the link to the greatest width and speed that both ends have enabled.
   *
   * @param other the port at the other end
   * @return whether both ends have a width in common
   */
  public boolean trains(NodePort other) {
    int width = widest(common(PortInfo.LINK_WIDTH_ENABLED, other));
    LinkSpeed speed =
        LinkSpeed.fastest(
            common(PortInfo.LINK_SPEED_ENABLED, other),
            enabledExtended() & other.enabledExtended());
    if (width != 0) {
      active(speed, width);
      other.active(speed, width);
    }
    return width != 0;
  }

  /** {@return the extended speeds that the port has enabled} */
  int enabledExtended() {
    int enabled = PortInfo.LINK_SPEED_EXT_ENABLED.in(info);
    return LinkSpeed.extended(
        enabled == NO_EXTENDED ? 0 : enabled, PortInfo.LINK_SPEED_EXT_ENABLED_2.in(info));
  }

  private int common(PortInfo field, NodePort other) {
    return field.in(info) & field.in(other.info);
  }

  private static int widest(int enabled) {
    for (int width : WIDEST_FIRST) {
      if ((enabled & width) != 0) {
        return width;
      }
    }
    return 0;
  }

  private void active(LinkSpeed speed, int width) {
    PortInfo.LINK_SPEED_ACTIVE.set(info, speed.classic);
    PortInfo.LINK_SPEED_EXT_ACTIVE.set(info, LinkSpeed.first(speed.extended));
    PortInfo.LINK_SPEED_EXT_ACTIVE_2.set(info, LinkSpeed.second(speed.extended));
    PortInfo.LINK_WIDTH_ACTIVE.set(info, width);
    Adapter device = adapter;
    if (device != null) {
      device.link(width, speed.verbs);
    }
  }

  /** {@return whether the link is up, so that SMPs pass} */
  public boolean linked() {
    return peer != null && phys() == PhysState.LINK_UP;
  }

  /** {@return the base LID, 0 before a subnet manager has assigned one} */
  public int lid() {
    return PortInfo.LID.in(info);
  }

  /** {@return the LID mask count} */
  public int lmc() {
    return PortInfo.LMC.in(info);
  }

  /**
   * Returns whether a LID belongs to this port.
   *
   * @param lid the LID
   * @return whether the LID is among those of the base LID and the LID mask count
   */
  public boolean has(int lid) {
    int base = lid();
    return base != 0 && lid >= base && lid < base + (1 << lmc());
  }

  @Override
  public String toString() {
    return node + "[" + number + "]";
  }
}
