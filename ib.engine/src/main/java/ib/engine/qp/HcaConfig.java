package ib.engine.qp;

import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a device is built. Make one with {@link #of} and change it with the {@code with} methods.
 *
 * @param nodeGuid node GUID
 * @param systemImageGuid system image GUID
 * @param portGuids GUID of each port, from port 1
 * @param firmware version text
 * @param linkLayer of all ports
 * @param mtuMax largest MTU of the ports
 * @param limits what is missing is {@link #defaults}
 * @param runBudgetBytes bytes that one call into the engine may move before the device's worker
 *     goes on, at least 4096
 * @param jumboBytes bytes in one packet on a wire that does not segment, a multiple of 4096
 * @param requestPackets request packets of one queue pair under way, a power of two
 * @param responsePackets response packets of one queue pair under way, a power of two
 * @param windowPackets unacknowledged packets of one queue pair on a wire that segments
 */
public record HcaConfig(
    long nodeGuid,
    long systemImageGuid,
    long[] portGuids,
    String firmware,
    LinkLayer linkLayer,
    Mtu mtuMax,
    Map<Limit, Long> limits,
    int runBudgetBytes,
    int jumboBytes,
    int requestPackets,
    int responsePackets,
    int windowPackets) {
  private static final int GIDS_INFINIBAND = 128;
  private static final int GIDS_ETHERNET = 1024; // one for each address, as many as Linux rxe has

  /** Checks and completes. */
  public HcaConfig {
    portGuids = portGuids.clone();
    Map<Limit, Long> all = defaults();
    all.putAll(limits);
    limits = Map.copyOf(all);
    if (Integer.bitCount(requestPackets) != 1 || Integer.bitCount(responsePackets) != 1) {
      throw new IllegalArgumentException(
          "requestPackets and responsePackets must be powers of two");
    }
    if (jumboBytes < 4096 || jumboBytes % 4096 != 0 || runBudgetBytes < 4096) {
      throw new IllegalArgumentException(
          "jumboBytes must be a multiple of 4096, runBudgetBytes at least 4096");
    }
    if (windowPackets < 2 || windowPackets > 1 << 20) {
      throw new IllegalArgumentException("windowPackets must be 2 to 1048576");
    }
  }

  /**
   * A configuration for InfiniBand with default limits.
   *
   * @param nodeGuid node GUID; also the system image GUID
   * @param portGuids GUID of each port
   * @return the configuration
   */
  public static HcaConfig of(long nodeGuid, long... portGuids) {
    return new HcaConfig(
        nodeGuid,
        nodeGuid,
        portGuids,
        "1.0.0",
        LinkLayer.INFINIBAND,
        Mtu.MTU_4096,
        Map.of(),
        1 << 20,
        1 << 18,
        16,
        8,
        128);
  }

  /** {@return the limits of a device of which nothing else is said} */
  public static Map<Limit, Long> defaults() {
    Map<Limit, Long> m = new EnumMap<>(Limit.class);
    m.put(Limit.MAX_MR_SIZE, Long.MAX_VALUE);
    m.put(Limit.PAGE_SIZE_CAP, 0xfffff000L);
    m.put(Limit.MAX_QP, 1_048_560L);
    m.put(Limit.MAX_QP_WR, 32_768L);
    m.put(Limit.MAX_SGE, 32L);
    m.put(Limit.MAX_SGE_RD, 32L);
    m.put(Limit.MAX_CQ, 1_048_576L);
    m.put(Limit.MAX_CQE, 4_194_304L);
    m.put(Limit.MAX_MR, 4_194_304L);
    m.put(Limit.MAX_MW, 524_287L);
    m.put(Limit.MAX_PD, 1_048_576L);
    m.put(Limit.MAX_QP_RD_ATOM, 128L);
    m.put(Limit.MAX_RES_RD_ATOM, 258_048L);
    m.put(Limit.MAX_QP_INIT_RD_ATOM, 128L);
    m.put(Limit.MAX_MCAST_GRP, 8_192L);
    m.put(Limit.MAX_MCAST_QP_ATTACH, 56L);
    m.put(Limit.MAX_TOTAL_MCAST_QP_ATTACH, 458_752L);
    m.put(Limit.MAX_AH, 1_048_576L);
    m.put(Limit.MAX_SRQ, 917_503L);
    m.put(Limit.MAX_SRQ_WR, 1_048_576L);
    m.put(Limit.MAX_SRQ_SGE, 27L);
    m.put(Limit.MAX_PKEYS, 128L);
    m.put(Limit.LOCAL_CA_ACK_DELAY, 15L);
    m.put(Limit.NUM_COMP_VECTORS, (long) Runtime.getRuntime().availableProcessors());
    m.put(Limit.MAX_INLINE_DATA, 512L);
    m.put(Limit.MAX_TSO, 65_536L);
    m.put(Limit.MAX_MSG_SZ, 1L << 31);
    return m;
  }

  /**
   * Reads a limit.
   *
   * @param limit which
   * @return its value, 0 when there is none
   */
  public long limit(Limit limit) {
    Long v = limits.get(limit);
    return v == null ? 0 : v;
  }

  /** {@return the number of ports} */
  public int portCount() {
    return portGuids.length;
  }

  /** {@return the length of each port's GID table} */
  public int gidCount() {
    return linkLayer == LinkLayer.ETHERNET ? GIDS_ETHERNET : GIDS_INFINIBAND;
  }

  @Override
  public long[] portGuids() {
    return portGuids.clone();
  }

  /**
   * With some other limits.
   *
   * @param changed what differs
   * @return the configuration
   */
  public HcaConfig withLimits(Map<Limit, Long> changed) {
    Map<Limit, Long> all = new EnumMap<>(limits);
    all.putAll(changed);
    return with(linkLayer, firmware, mtuMax, all);
  }

  /**
   * With another link layer and firmware version.
   *
   * @param layer link layer of all ports
   * @param version version text
   * @param largest largest MTU of the ports
   * @return the configuration
   */
  public HcaConfig withLink(LinkLayer layer, String version, Mtu largest) {
    return with(layer, version, largest, limits);
  }

  private HcaConfig with(LinkLayer layer, String version, Mtu largest, Map<Limit, Long> all) {
    return new HcaConfig(
        nodeGuid,
        systemImageGuid,
        portGuids,
        version,
        layer,
        largest,
        all,
        runBudgetBytes,
        jumboBytes,
        requestPackets,
        responsePackets,
        windowPackets);
  }

  /**
   * With other measures of the engine's work.
   *
   * @param budgetBytes bytes per call
   * @param jumbo bytes per packet on a wire that does not segment
   * @param requests request packets per queue pair
   * @param responses response packets per queue pair
   * @param window unacknowledged packets on a wire that segments
   * @return the configuration
   */
  public HcaConfig withPace(int budgetBytes, int jumbo, int requests, int responses, int window) {
    return new HcaConfig(
        nodeGuid,
        systemImageGuid,
        portGuids,
        firmware,
        linkLayer,
        mtuMax,
        limits,
        budgetBytes,
        jumbo,
        requests,
        responses,
        window);
  }
}
