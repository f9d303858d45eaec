package ib.core.verbs;

/**
 * Connects queue pairs of one program without a connection manager: both ends are in this JVM, so
 * this class sets at each end the attributes of the other.
 */
public final class QueuePairs {
  private static final int FIRST_PORT = 1; // every device has it
  private static final int TIMEOUT = 14; // 4.096 us * 2^14 = 67 ms
  private static final int RETRIES = 7;
  private static final int RNR_TIMER = 12; // 0.64 ms
  private static final int MAX_READS = 16;

  private QueuePairs() {}

  /**
   * Connects two queue pairs by port 1 of their devices; see {@link #connect(QueuePair, int,
   * QueuePair, int)}.
   *
   * @param a one end, of type RC or UC, in state RESET
   * @param b the other end, of the same type, in state RESET; may be the same queue pair
   */
  @MaySleep
  public static void connect(QueuePair a, QueuePair b) {
    connect(a, FIRST_PORT, b, FIRST_PORT);
  }

  /**
   * Connects two queue pairs: both are ready to send when this returns. The path MTU is the smaller
   * one of both ports. On Ethernet the path is between IPv4 addresses if both ports have one, or
   * else between IPv6 addresses. The peer may write, read and do atomics where a memory region
   * allows it. A lost packet is sent again after 67 ms, up to 7 times; a receiver that is not ready
   * is retried without limit. For other attributes call {@link QueuePair#modify} instead.
   *
   * @param a one end, of type RC or UC, in state RESET
   * @param portA by which port of its device, from 1
   * @param b the other end, of the same type, in state RESET; may be the same queue pair
   * @param portB by which port of its device, from 1
   * @throws IbInvalidException when the types differ or are others, a queue pair is not in state
   *     RESET, a port is not active, or one device is on InfiniBand and the other on Ethernet
   */
  @MaySleep
  public static void connect(QueuePair a, int portA, QueuePair b, int portB) {
    IbInvalidException.given(a, "QueuePairs.connect", "a");
    IbInvalidException.given(b, "QueuePairs.connect", "b");
    End one = new End(a, portA);
    End other = a.equals(b) ? one : new End(b, portB);
    one.check(other);
    other.check(one);
    boolean done = false;
    try {
      one.begin();
      other.begin();
      one.bringUp(other);
      if (!a.equals(b)) {
        other.bringUp(one);
      }
      done = true;
    } finally {
      if (!done) {
        one.reset();
        other.reset();
      }
    }
  }

  /** One of the two ends. */
  private static final class End {
    final QueuePair qp;
    final int port;
    final PortAttr attr;
    final int psn = QueuePair.randomPsn();

    End(QueuePair qp, int port) {
      this.qp = qp;
      this.port = port;
      attr = qp.device().queryPort(port);
    }

    private IbInvalidException wrong(String why, String hint) {
      return new IbInvalidException("QueuePairs.connect " + qp, why, hint);
    }

    void check(End peer) {
      if (qp.type() != QpType.RC && qp.type() != QpType.UC) {
        throw wrong("its type is " + qp.type(), "RC or UC; a UD queue pair needs address handles");
      }
      if (qp.type() != peer.qp.type()) {
        throw wrong("its type is " + qp.type() + ", the other's is " + peer.qp.type(), "one type");
      }
      if (qp.state() != QpState.RESET) {
        throw wrong("its state is " + qp.state(), "a new queue pair, or modify it to RESET");
      }
      if (attr.state() != PortState.ACTIVE) {
        throw wrong(
            "port " + port + " of " + qp.device() + " is " + attr.state(), "wait for PORT_ACTIVE");
      }
      if (attr.linkLayer() != peer.attr.linkLayer()) {
        throw wrong(
            qp.device() + " is on " + attr.linkLayer() + ", " + peer.qp.device() + " is not",
            "two devices of one fabric");
      }
    }

    void reset() {
      if (qp.state() != QpState.RESET) {
        qp.modify(new QpAttr().state(QpState.RESET));
      }
    }

    void begin() {
      boolean atomic = qp.type() == QpType.RC && qp.device().has(Cap.ATOMICS);
      int access = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
      qp.modify(
          new QpAttr()
              .state(QpState.INIT)
              .pkeyIndex(0)
              .port(port)
              .accessFlags(atomic ? access | Access.REMOTE_ATOMIC : access));
    }

    void bringUp(End peer) {
      QpAttr rtr =
          new QpAttr()
              .state(QpState.RTR)
              .av(way(peer))
              .pathMtu(Mtu.of(Math.min(attr.activeMtu().value(), peer.attr.activeMtu().value())))
              .destQpn(peer.qp.qpn())
              .rqPsn(peer.psn);
      QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(psn);
      if (qp.type() == QpType.RC) {
        rtr.maxDestRdAtomic(reads(qp, Limit.MAX_QP_RD_ATOM)).minRnrTimer(RNR_TIMER);
        int reads = reads(qp, Limit.MAX_QP_INIT_RD_ATOM);
        rts.timeout(TIMEOUT)
            .retryCount(RETRIES)
            .rnrRetry(WellKnown.RNR_RETRY_INFINITE)
            .maxRdAtomic(Math.min(reads, reads(peer.qp, Limit.MAX_QP_RD_ATOM)));
      }
      qp.modify(rtr);
      qp.modify(rts);
    }

    private static int reads(QueuePair qp, Limit which) {
      return (int) Math.min(MAX_READS, qp.device().attrs().limit(which));
    }

    private AhAttr way(End peer) {
      if (attr.linkLayer() == LinkLayer.INFINIBAND) {
        return AhAttr.ofLid(port, peer.attr.lid(), 0);
      }
      for (Reach reach : Reach.values()) {
        int from = gid(reach);
        int to = peer.gid(reach);
        if (from >= 0 && to >= 0) {
          return AhAttr.ofGid(port, GlobalRoute.to(peer.qp.device().gid(peer.port, to), from));
        }
      }
      throw wrong(
          qp.device() + " and " + peer.qp.device() + " have no GIDs of one kind, IPv4 or IPv6",
          "addresses of one family");
    }

    /** The index of the first GID that reaches so far, or -1. */
    private int gid(Reach reach) {
      for (int i = 0; i < attr.gidTableLen(); i++) {
        Gid gid = qp.device().gid(port, i);
        if (!gid.equals(Gid.ZERO) && Reach.of(gid) == reach) {
          return i;
        }
      }
      return -1;
    }
  }

  /** How far packets to a GID on Ethernet get; what is tried first comes first. */
  private enum Reach {
    IPV4,
    IPV6,
    /** A port has such a GID even where the network has no such address. */
    LINK_LOCAL;

    private static final int LINK_LOCAL_PREFIX = 0xfe80 >>> 6; // fe80::/10

    static Reach of(Gid gid) {
      if (gid.isIpv4Mapped()) {
        return IPV4;
      }
      return gid.high() >>> 54 == LINK_LOCAL_PREFIX ? LINK_LOCAL : IPV6;
    }
  }
}
