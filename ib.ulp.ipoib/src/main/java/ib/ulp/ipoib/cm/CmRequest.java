package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * REQ: the sender asks for a connection (IBA 12.6.5).
 *
 * @param localId communication ID of the REQ's sender
 * @param serviceId service that the connection is for, see {@link Connected}
 * @param caGuid GUID of the sender's adapter
 * @param qpn queue pair of the sender
 * @param psn first packet sequence number that the REQ's receiver sends (RG-23)
 * @param pkey P_Key of the connection's partition
 * @param mtu MTU of the path
 * @param srq whether the sender receives into a shared queue
 * @param path the primary path
 * @param data queue pair and MTU of the sender's interface (W13)
 */
public record CmRequest(
    int localId,
    long serviceId,
    long caGuid,
    int qpn,
    int psn,
    int pkey,
    Mtu mtu,
    boolean srq,
    Path path,
    Connected data)
    implements CmMessage {
  /** C2: how many RDMA reads and atomics the sender accepts at a time. */
  static final int RESPONDER_RESOURCES = 4;

  /** C2: 4.096 us * 2^20, about 4.3 s, in which either side must answer. */
  static final int RESPONSE_TIMEOUT = 20;

  /** C2: how often an unanswered message is sent again. */
  static final int RETRIES = 15;

  private static final int PRIVATE = 140;
  private static final int RC = 0;

  /**
   * The primary path, as the sender sees it.
   *
   * @param localLid of the sender, 0xffff on RoCE
   * @param remoteLid of the receiver
   * @param localGid of the sender
   * @param remoteGid of the receiver
   * @param flowLabel 20 bits
   * @param trafficClass 8 bits
   * @param hopLimit 8 bits
   * @param sl service level
   * @param rate code of {@code ibv_rate}
   * @param subnetLocal whether packets need no global route
   * @param ackTimeout 4.096 us * 2^n for the receiver to wait for acknowledgements
   */
  public record Path(
      int localLid,
      int remoteLid,
      Gid localGid,
      Gid remoteGid,
      int flowLabel,
      int trafficClass,
      int hopLimit,
      int sl,
      int rate,
      boolean subnetLocal,
      int ackTimeout) {
    private static final int NO_LID = 0xffff;
    private static final int ACK_TIMEOUT = 18; // 4.096 us * 2^18, about 1.1 s

    /** {@return the path from {@code self} to a peer} */
    static Path of(Self self, Gid peer, Way way) {
      AhAttr ah = way.ah();
      GlobalRoute route = ah.grh();
      return new Path(
          self.ethernet() ? NO_LID : way.localLid(),
          self.ethernet() ? NO_LID : ah.dlid(),
          self.address().gid(),
          peer,
          route == null ? 0 : route.flowLabel(),
          route == null ? 0 : route.trafficClass(),
          route == null ? 0 : route.hopLimit(),
          ah.sl(),
          ah.staticRate(),
          route == null,
          ACK_TIMEOUT);
    }

    /**
     * {@return the address vector back to the sender, with the source GID at that index of this
     * port}
     */
    AhAttr back(int port, int sgidIndex, boolean ethernet) {
      GlobalRoute route =
          subnetLocal && !ethernet
              ? null
              : new GlobalRoute(localGid, flowLabel, sgidIndex, hopLimit, trafficClass);
      return new AhAttr(ethernet ? 0 : localLid, sl, 0, 0, port, route);
    }
  }

  @Override
  public int attribute() {
    return REQ;
  }

  @Override
  public int remoteId() {
    return 0;
  }

  @Override
  public void write(MemorySegment s) {
    Octets.u32(s, 0, localId);
    Octets.u64(s, 8, serviceId);
    Octets.u64(s, 16, caGuid);
    Octets.u32(s, 32, qpn << 8 | RESPONDER_RESOURCES);
    Octets.u32(s, 40, RESPONSE_TIMEOUT << 3 | RC << 1 | 1); // end-to-end flow control
    Octets.u32(s, 44, psn << 8 | RESPONSE_TIMEOUT << 3); // C2: no retry of the queue pair
    Octets.u16(s, 48, pkey);
    Octets.u8(s, 50, mtu.value() << 4); // C2: no RNR retry either
    Octets.u8(s, 51, RETRIES << 4 | (srq ? 8 : 0));
    Octets.u16(s, 52, path.localLid);
    Octets.u16(s, 54, path.remoteLid);
    gid(s, 56, path.localGid);
    gid(s, 72, path.remoteGid);
    Octets.u32(s, 88, path.flowLabel << 12 | path.rate & 0x3f);
    Octets.u8(s, 92, path.trafficClass);
    Octets.u8(s, 93, path.hopLimit);
    Octets.u8(s, 94, path.sl << 4 | (path.subnetLocal ? 8 : 0));
    Octets.u8(s, 95, path.ackTimeout << 3);
    data.write(s, PRIVATE);
  }

  private static void gid(MemorySegment s, int at, Gid gid) {
    Octets.u64(s, at, gid.high());
    Octets.u64(s, at + 8, gid.low());
  }

  private static Gid gid(MemorySegment s, int at) {
    return new Gid(Octets.u64(s, at), Octets.u64(s, at + 8));
  }

  static @Nullable CmRequest read(MemorySegment s) {
    int mtu = Octets.u8(s, 50) >> 4;
    boolean reliable = (Octets.u8(s, 43) >> 1 & 3) == RC; // C1
    if (!reliable || mtu < Mtu.MTU_256.value() || mtu > Mtu.MTU_4096.value()) {
      return null;
    }
    Path path =
        new Path(
            Octets.u16(s, 52),
            Octets.u16(s, 54),
            gid(s, 56),
            gid(s, 72),
            Octets.u32(s, 88) >>> 12,
            Octets.u8(s, 92),
            Octets.u8(s, 93),
            Octets.u8(s, 94) >> 4,
            Octets.u8(s, 91) & 0x3f,
            (Octets.u8(s, 94) & 8) != 0,
            Octets.u8(s, 95) >> 3);
    return new CmRequest(
        Octets.u32(s, 0),
        Octets.u64(s, 8),
        Octets.u64(s, 16),
        Octets.u32(s, 32) >>> 8,
        Octets.u32(s, 44) >>> 8,
        Octets.u16(s, 48),
        Mtu.of(mtu),
        (Octets.u8(s, 51) & 8) != 0,
        path,
        Connected.read(s, PRIVATE));
  }
}
