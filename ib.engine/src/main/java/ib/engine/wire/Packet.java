package ib.engine.wire;

import ib.core.wire.Grh;
import ib.engine.mr.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A packet: the header fields of IBA vol. 1 chapters 5, 8 and 9 under their own names, and
 * references to its payload (D5). A packet is reused for ever. Its fields are plain: only one
 * thread holds a packet at a time, and passes it on through a queue that publishes.
 */
public final class Packet {
  private static final VarHandle BUSY;

  static {
    try {
      BUSY = MethodHandles.lookup().findVarHandle(Packet.class, "busy", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final PacketOwner owner;
  private volatile boolean busy; // volatile where it is cheap; BUSY where it would not be

  /** The next packet in the queue that contains this one; for that queue only. */
  public @Nullable Packet next;

  /**
   * A note of the code that sends the packet, about this use of it, for example the request that
   * the packet carries.
   */
  public long cookie;

  boolean faulty; // reset by the codec, too

  /**
   * Whether the packet was sent before; then a response does not show which of the two has arrived.
   */
  public boolean repeated;

  /** Whether a fault has flipped bits of the packet: its ICRC would not match (IBA 7.8). */
  public boolean damaged;

  /** The name of the counter, set by a receiver that drops the packet; else null. */
  public @Nullable String dropped;

  private @Nullable MemorySegment headerSpace; // made when it is needed first
  private @Nullable PacketObserver observer;
  private long observerToken;

  // ---- LRH and GRH ----

  /** Local identifier of the sending port. */
  public int slid;

  /** Destination: a port (below 0xC000), a multicast group, or 0 for addressing by GID. */
  public int dlid;

  /** Service level, 0 to 15. */
  public int sl;

  /** Whether the packet has a global route header. */
  public boolean global;

  /** Upper half of the source GID. */
  public long sgidHigh;

  /** Lower half of the source GID. */
  public long sgidLow;

  /** Upper half of the destination GID. */
  public long dgidHigh;

  /** Lower half of the destination GID. */
  public long dgidLow;

  /** Traffic class, 8 bits. */
  public int trafficClass;

  /** Flow label, 20 bits. */
  public int flowLabel;

  /** Hop limit, 8 bits. */
  public int hopLimit;

  /**
   * The first 40 bytes of a datagram's receive buffer, when they are no GRH made of the fields
   * above (RoCE over IPv4); null otherwise.
   */
  public @Nullable MemorySegment networkHeader;

  // ---- BTH ----

  /** Opcode, 8 bits (IBA table 38). */
  public int opcode;

  /** Solicited event. */
  public boolean solicited;

  /** Whether the packet requests an acknowledgement (AckReq). */
  public boolean ackRequest;

  /**
   * MigReq (IBA 9.2.6): the sender's path state is migrated. Always set in packets of the engine.
   */
  public boolean migReq = true;

  /** Forward congestion notification (IBA annex A10). */
  public boolean fecn;

  /** Backward congestion notification. */
  public boolean becn;

  /** Whether a router has marked this packet for congestion (RFC 3168), as the wire says. */
  public boolean congested;

  /** P_Key, 16 bits. */
  public int pkey;

  /** Destination queue pair, 24 bits. */
  public int destQpn;

  /** Sequence number, 24 bits: the first one when the packet stands for several. */
  public int psn;

  /** Sequence numbers that the packet consumes; 1 on a wire that segments. */
  public int psnCount;

  // ---- extended headers ----

  /** DETH: Q_Key. */
  public int qkey;

  /** DETH: source queue pair, 24 bits; filled for every packet. */
  public int sourceQpn;

  /** RETH and AtomicETH: virtual address. */
  public long remoteAddress;

  /** RETH and AtomicETH: remote key; IETH: the key to invalidate. */
  public int rkey;

  /** RETH: DMA length, unsigned. */
  public int dmaLength;

  /** AETH: syndrome, 8 bits. */
  public int syndrome;

  /** AETH: message sequence number, 24 bits. */
  public int msn;

  /** AtomicETH: swap or add data; AtomicAckETH: the original value. */
  public long swapAdd;

  /** AtomicETH: compare data. */
  public long compare;

  /** ImmDt: immediate data, opaque 32 bits. */
  public int immData;

  /**
   * Bytes of data in each segment that the packet stands for, except the last; 0 when the packet is
   * one datagram.
   */
  public int mss;

  /** Bytes of header before the data of each segment. */
  public int headerLength;

  /** FETH: placement type and selectivity, as {@code ib.core.wire.Feth#word}. */
  public int feth;

  // ---- RoCE, once it has been on the wire ----

  /** UDP source port; 0 until the packet has been on a wire with UDP ports. */
  public int sourcePort;

  /** IPv4 identification; valid if {@link #sourcePort} is not 0. */
  public int identification;

  /** ICRC as it is on the wire; valid if {@link #sourcePort} is not 0. */
  public int icrc;

  /** The payload. */
  public final Payload payload = new Payload();

  /**
   * Makes a packet.
   *
   * @param owner gets the packet back after each use
   */
  public Packet(PacketOwner owner) {
    this.owner = owner;
  }

  /**
   * {@return 40 bytes of this packet for a {@link #networkHeader}; for a wire that hands the packet
   * over in memory}
   */
  public MemorySegment headerSpace() {
    if (headerSpace == null) {
      headerSpace = MemorySegment.ofArray(new byte[Grh.BYTES]);
    }
    return headerSpace;
  }

  /**
   * Notes that the payload could not be read, which is an error of the sender (D6), and as the
   * syndrome why: {@link Syndrome#NAK_REMOTE_ACCESS} when its memory is no longer registered or was
   * closed, {@link Syndrome#NAK_REMOTE_OPERATION} when the memory itself has failed. For the
   * receiver, before the release.
   */
  public void fault() {
    faulty = true;
    syndrome = payload.isOpen() ? Syndrome.NAK_REMOTE_OPERATION : Syndrome.NAK_REMOTE_ACCESS;
  }

  /** {@return whether the payload could not be read} */
  public boolean isFaulty() {
    return faulty;
  }

  /** {@return whether the packet is in use; for the owner} */
  public boolean busy() {
    return busy;
  }

  /** Begins a use; for the owner. */
  public void occupy() {
    BUSY.set(this, true);
    faulty = false;
    repeated = false;
    damaged = false;
    becn = false;
    congested = false;
    dropped = null;
    observer = null;
    networkHeader = null;
    sourcePort = 0;
    mss = 0;
    payload.clear();
  }

  /**
   * Begins a use in competition with other threads; for the owner.
   *
   * @return whether the packet was free, and the caller has begun a use
   */
  public boolean tryOccupy() {
    if (!BUSY.compareAndSet(this, false, true)) {
      return false;
    }
    occupy();
    return true;
  }

  /**
   * Sets the observer of this use of the packet, in place of an earlier one. For wires.
   *
   * @param who the observer, or null for none
   * @param token passed to the observer with every call
   */
  public void observe(@Nullable PacketObserver who, long token) {
    observer = who;
    observerToken = token;
  }

  /** {@return whether the packet has an observer} */
  public boolean observed() {
    return observer != null;
  }

  /**
   * Notifies the observer that a fault was injected. For wires that inject faults.
   *
   * @param how the fault in one word
   */
  public void disturbed(String how) {
    PacketObserver o = observer;
    if (o != null) {
      o.disturbed(observerToken, how);
    }
  }

  /** Ends a use; for the owner. */
  public void free() {
    BUSY.setRelease(this, false);
  }

  /** {@return whether the destination is a multicast group} */
  public boolean isMulticast() {
    return destQpn == 0xFFFFFF;
  }

  /**
   * Ends this use of the packet and gives it back to its owner; the caller must not touch it
   * afterwards.
   *
   * @param run the caller's context
   */
  public void release(RunContext run) {
    PacketObserver o = observer;
    if (o != null) {
      observer = null;
      o.released(observerToken, this);
    }
    owner.released(this, run);
  }

  /**
   * Makes a copy for one more receiver.
   *
   * @return the copy, which must be delivered or released like the original, or null when the owner
   *     has no free packet
   */
  public @Nullable Packet replicate() {
    return owner.replicate(this);
  }

  /**
   * Copies all fields and payload references, not the link nor the owner.
   *
   * @param from the other packet
   */
  public void set(Packet from) {
    cookie = from.cookie;
    repeated = from.repeated;
    damaged = from.damaged;
    slid = from.slid;
    dlid = from.dlid;
    sl = from.sl;
    global = from.global;
    sgidHigh = from.sgidHigh;
    sgidLow = from.sgidLow;
    dgidHigh = from.dgidHigh;
    dgidLow = from.dgidLow;
    trafficClass = from.trafficClass;
    flowLabel = from.flowLabel;
    hopLimit = from.hopLimit;
    networkHeader = from.networkHeader;
    opcode = from.opcode;
    solicited = from.solicited;
    ackRequest = from.ackRequest;
    migReq = from.migReq;
    fecn = from.fecn;
    becn = from.becn;
    congested = from.congested;
    pkey = from.pkey;
    destQpn = from.destQpn;
    psn = from.psn;
    psnCount = from.psnCount;
    qkey = from.qkey;
    sourceQpn = from.sourceQpn;
    remoteAddress = from.remoteAddress;
    rkey = from.rkey;
    dmaLength = from.dmaLength;
    syndrome = from.syndrome;
    msn = from.msn;
    swapAdd = from.swapAdd;
    compare = from.compare;
    immData = from.immData;
    feth = from.feth;
    mss = from.mss;
    headerLength = from.headerLength;
    sourcePort = from.sourcePort;
    identification = from.identification;
    icrc = from.icrc;
    payload.set(from.payload);
  }
}
