package ib.engine.wire;

import ib.engine.mr.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A packet: the header fields of IBA vol. 1 chapters 5, 8 and 9 under their own names, and
 * references to its payload (D5). Reused for ever; plain fields, because whoever holds a packet
 * holds it alone and hands it on through a queue that publishes.
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

  /** The next packet in the queue that holds this one; for the holder. */
  public @Nullable Packet next;

  /** What the owner notes about this use, for example the request it carries. */
  public long cookie;

  /** Set by a receiver that could not read the payload: an error of the sender (D6). */
  public boolean fault;

  /** Whether it was sent before: then an answer does not tell which of the two has arrived. */
  public boolean repeated;

  /** Whether bits were flipped on the way: its ICRC would not match (IBA 7.8). */
  public boolean damaged;

  /** Set by a receiver that drops it: the name of the counter; null otherwise. */
  public @Nullable String dropped;

  private @Nullable PacketObserver observer;
  private long observerToken;

  // ---- LRH and GRH ----

  /** Local identifier of the sending port. */
  public int slid;

  /** Destination: a port (below 0xC000), a multicast group, or 0 for addressing by GID. */
  public int dlid;

  /** Service level, 0 to 15. */
  public int sl;

  /** Whether there is a global route header. */
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
   * The 40 bytes that a datagram's receive buffer begins with, when the wire knows better than a
   * GRH made of the fields above (RoCE over IPv4); null otherwise.
   */
  public @Nullable MemorySegment networkHeader;

  // ---- BTH ----

  /** Opcode, 8 bits (IBA table 38). */
  public int opcode;

  /** Solicited event. */
  public boolean solicited;

  /** Whether the responder is asked to acknowledge. */
  public boolean ackRequest;

  /** The migration state of the path: migrated, as long as there is no other (IBA 9.2.6). */
  public boolean migReq = true;

  /** Forward congestion notification (IBA annex A10). */
  public boolean fecn;

  /** Backward congestion notification. */
  public boolean becn;

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

  /** Bytes of data in each segment that it stands for but the last; 0 when it is one datagram. */
  public int mss;

  /** Bytes before the data in each of them. */
  public int headerLength;

  /** FETH: placement type and selectivity, as {@code ib.core.wire.Feth#word}. */
  public int feth;

  // ---- RoCE, once it has been on the wire ----

  /** UDP source port; 0 as long as the packet has not been on a wire that has ports. */
  public int sourcePort;

  /** IPv4 identification; for what has a {@link #sourcePort}. */
  public int identification;

  /** ICRC as it is on the wire; for what has a {@link #sourcePort}. */
  public int icrc;

  /** The payload. */
  public final Payload payload = new Payload();

  /**
   * Makes a packet.
   *
   * @param owner who it goes back to
   */
  public Packet(PacketOwner owner) {
    this.owner = owner;
  }

  /** {@return whether it is under way; for the owner} */
  public boolean busy() {
    return busy;
  }

  /** Begins a use; for the owner. */
  public void occupy() {
    BUSY.set(this, true);
    fault = false;
    repeated = false;
    damaged = false;
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
   * @return whether it was free and is the caller's now
   */
  public boolean tryOccupy() {
    if (!BUSY.compareAndSet(this, false, true)) {
      return false;
    }
    occupy();
    return true;
  }

  /**
   * Names who wants to know what becomes of this packet, instead of who wanted before. For wires.
   *
   * @param who the observer, or null for nobody
   * @param token handed to it with every call
   */
  public void observe(@Nullable PacketObserver who, long token) {
    observer = who;
    observerToken = token;
  }

  /** {@return whether somebody wants to know what becomes of it} */
  public boolean observed() {
    return observer != null;
  }

  /**
   * Tells the observer that a fault was injected. For wires that do.
   *
   * @param how in a word
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

  /** {@return whether it goes to a multicast group} */
  public boolean isMulticast() {
    return destQpn == 0xFFFFFF;
  }

  /**
   * Ends this use of the packet: it goes back to its owner and may not be touched any more.
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
   * A copy for one more receiver.
   *
   * @return the copy, to be delivered or released like the original, or null when there are too
   *     many
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
