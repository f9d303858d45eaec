package ib.core.verbs;

/**
 * Attributes of a port (IBA verb Query HCA, {@code ibv_query_port}). Immutable; made with a {@link
 * Builder}.
 *
 * @param state logical state
 * @param physState physical state
 * @param maxMtu largest MTU of the port
 * @param activeMtu MTU in use
 * @param lid base LID, 16 bits; 0 on Ethernet or when not configured
 * @param lmc LID mask control, 0 to 7
 * @param smLid LID of the subnet manager, 16 bits
 * @param smSl service level to the subnet manager, 0 to 15
 * @param linkLayer link layer
 * @param maxMsgSize bytes of the longest message
 * @param capFlags PortInfo CapabilityMask, 32 bits
 * @param capFlags2 PortInfo CapabilityMask2, 16 bits
 * @param gidTableLen entries of the GID table
 * @param pkeyTableLen entries of the P_Key table
 * @param badPkeyCounter P_Key violations, 16 bits, sticky at the end
 * @param qkeyViolationCounter Q_Key violations, 16 bits, sticky at the end
 * @param maxVl virtual lanes, code of PortInfo VLCap: 1 to 5 for 1, 2, 4, 8, 15 lanes
 * @param subnetTimeout exponent n: the subnet answers within 4.096 us * 2^n, 0 to 31
 * @param initTypeReply InitTypeReply of PortInfo, 4 bits
 * @param activeWidth width, one bit: 1 = 1X, 2 = 4X, 4 = 8X, 8 = 12X, 16 = 2X
 * @param activeSpeed speed per lane, one bit: 1 = 2.5, 2 = 5, 4 = 10, 8 = FDR10, 16 = 14, 32 = 25,
 *     64 = 50, 128 = 100, 256 = 200 Gbit/s
 * @param grhRequired whether each packet needs a global route header
 */
public record PortAttr(
    PortState state,
    PhysState physState,
    Mtu maxMtu,
    Mtu activeMtu,
    int lid,
    int lmc,
    int smLid,
    int smSl,
    LinkLayer linkLayer,
    long maxMsgSize,
    int capFlags,
    int capFlags2,
    int gidTableLen,
    int pkeyTableLen,
    int badPkeyCounter,
    int qkeyViolationCounter,
    int maxVl,
    int subnetTimeout,
    int initTypeReply,
    int activeWidth,
    int activeSpeed,
    boolean grhRequired) {

  /** {@return bits per second: width times speed; 0 when one of them is unknown} */
  public long bitsPerSecond() {
    return Rate.lanes(activeWidth) * Rate.ofLane(activeSpeed);
  }

  /** {@return a builder with the values of an InfiniBand port that is down} */
  public static Builder builder() {
    return new Builder();
  }

  /** {@return a builder with the values of this} */
  public Builder toBuilder() {
    Builder b = new Builder();
    b.state = state;
    b.physState = physState;
    b.maxMtu = maxMtu;
    b.activeMtu = activeMtu;
    b.lid = lid;
    b.lmc = lmc;
    b.smLid = smLid;
    b.smSl = smSl;
    b.linkLayer = linkLayer;
    b.maxMsgSize = maxMsgSize;
    b.capFlags = capFlags;
    b.capFlags2 = capFlags2;
    b.gidTableLen = gidTableLen;
    b.pkeyTableLen = pkeyTableLen;
    b.badPkeyCounter = badPkeyCounter;
    b.qkeyViolationCounter = qkeyViolationCounter;
    b.maxVl = maxVl;
    b.subnetTimeout = subnetTimeout;
    b.initTypeReply = initTypeReply;
    b.activeWidth = activeWidth;
    b.activeSpeed = activeSpeed;
    b.grhRequired = grhRequired;
    return b;
  }

  /** Collects the attributes of a port. For one thread. */
  @NotThreadSafe
  public static final class Builder {
    private PortState state = PortState.DOWN;
    private PhysState physState = PhysState.POLLING;
    private Mtu maxMtu = Mtu.MTU_4096;
    private Mtu activeMtu = Mtu.MTU_4096;
    private int lid = 0;
    private int lmc = 0;
    private int smLid = 0;
    private int smSl = 0;
    private LinkLayer linkLayer = LinkLayer.INFINIBAND;
    private long maxMsgSize = 1L << 31;
    private int capFlags = 0;
    private int capFlags2 = 0;
    private int gidTableLen = 1;
    private int pkeyTableLen = 1;
    private int badPkeyCounter = 0;
    private int qkeyViolationCounter = 0;
    private int maxVl = 1;
    private int subnetTimeout = 0;
    private int initTypeReply = 0;
    private int activeWidth = 1;
    private int activeSpeed = 1;
    private boolean grhRequired = false;

    private Builder() {}

    /**
     * {@return this, with state set}
     *
     * @param value logical state
     */
    public Builder state(PortState value) {
      state = value;
      return this;
    }

    /**
     * {@return this, with physState set}
     *
     * @param value physical state
     */
    public Builder physState(PhysState value) {
      physState = value;
      return this;
    }

    /**
     * {@return this, with maxMtu set}
     *
     * @param value largest MTU of the port
     */
    public Builder maxMtu(Mtu value) {
      maxMtu = value;
      return this;
    }

    /**
     * {@return this, with activeMtu set}
     *
     * @param value MTU in use
     */
    public Builder activeMtu(Mtu value) {
      activeMtu = value;
      return this;
    }

    /**
     * {@return this, with lid set}
     *
     * @param value base LID, 16 bits; 0 on Ethernet or when not configured
     */
    public Builder lid(int value) {
      lid = value;
      return this;
    }

    /**
     * {@return this, with lmc set}
     *
     * @param value LID mask control, 0 to 7
     */
    public Builder lmc(int value) {
      lmc = value;
      return this;
    }

    /**
     * {@return this, with smLid set}
     *
     * @param value LID of the subnet manager, 16 bits
     */
    public Builder smLid(int value) {
      smLid = value;
      return this;
    }

    /**
     * {@return this, with smSl set}
     *
     * @param value service level to the subnet manager, 0 to 15
     */
    public Builder smSl(int value) {
      smSl = value;
      return this;
    }

    /**
     * {@return this, with linkLayer set}
     *
     * @param value link layer
     */
    public Builder linkLayer(LinkLayer value) {
      linkLayer = value;
      return this;
    }

    /**
     * {@return this, with maxMsgSize set}
     *
     * @param value bytes of the longest message
     */
    public Builder maxMsgSize(long value) {
      maxMsgSize = value;
      return this;
    }

    /**
     * {@return this, with capFlags set}
     *
     * @param value PortInfo CapabilityMask, 32 bits
     */
    public Builder capFlags(int value) {
      capFlags = value;
      return this;
    }

    /**
     * {@return this, with capFlags2 set}
     *
     * @param value PortInfo CapabilityMask2, 16 bits
     */
    public Builder capFlags2(int value) {
      capFlags2 = value;
      return this;
    }

    /**
     * {@return this, with gidTableLen set}
     *
     * @param value entries of the GID table
     */
    public Builder gidTableLen(int value) {
      gidTableLen = value;
      return this;
    }

    /**
     * {@return this, with pkeyTableLen set}
     *
     * @param value entries of the P_Key table
     */
    public Builder pkeyTableLen(int value) {
      pkeyTableLen = value;
      return this;
    }

    /**
     * {@return this, with badPkeyCounter set}
     *
     * @param value P_Key violations, 16 bits, sticky at the end
     */
    public Builder badPkeyCounter(int value) {
      badPkeyCounter = value;
      return this;
    }

    /**
     * {@return this, with qkeyViolationCounter set}
     *
     * @param value Q_Key violations, 16 bits, sticky at the end
     */
    public Builder qkeyViolationCounter(int value) {
      qkeyViolationCounter = value;
      return this;
    }

    /**
     * {@return this, with maxVl set}
     *
     * @param value virtual lanes, code of PortInfo VLCap: 1 to 5 for 1, 2, 4, 8, 15 lanes
     */
    public Builder maxVl(int value) {
      maxVl = value;
      return this;
    }

    /**
     * {@return this, with subnetTimeout set}
     *
     * @param value exponent n: the subnet answers within 4.096 us * 2^n, 0 to 31
     */
    public Builder subnetTimeout(int value) {
      subnetTimeout = value;
      return this;
    }

    /**
     * {@return this, with initTypeReply set}
     *
     * @param value InitTypeReply of PortInfo, 4 bits
     */
    public Builder initTypeReply(int value) {
      initTypeReply = value;
      return this;
    }

    /**
     * {@return this, with activeWidth set}
     *
     * @param value width, one bit: 1 = 1X, 2 = 4X, 4 = 8X, 8 = 12X, 16 = 2X
     */
    public Builder activeWidth(int value) {
      activeWidth = value;
      return this;
    }

    /**
     * {@return this, with activeSpeed set}
     *
     * @param value speed per lane, one bit: 1 = 2.5, 2 = 5, 4 = 10, 8 = FDR10, 16 = 14, 32 = 25, 64
     *     = 50, 128 = 100, 256 = 200 Gbit/s
     */
    public Builder activeSpeed(int value) {
      activeSpeed = value;
      return this;
    }

    /**
     * {@return this, with grhRequired set}
     *
     * @param value whether each packet needs a global route header
     */
    public Builder grhRequired(boolean value) {
      grhRequired = value;
      return this;
    }

    /** {@return the attributes} */
    public PortAttr build() {
      return new PortAttr(
          state,
          physState,
          maxMtu,
          activeMtu,
          lid,
          lmc,
          smLid,
          smSl,
          linkLayer,
          maxMsgSize,
          capFlags,
          capFlags2,
          gidTableLen,
          pkeyTableLen,
          badPkeyCounter,
          qkeyViolationCounter,
          maxVl,
          subnetTimeout,
          initTypeReply,
          activeWidth,
          activeSpeed,
          grhRequired);
    }
  }
}
