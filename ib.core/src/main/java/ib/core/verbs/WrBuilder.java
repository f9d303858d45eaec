package ib.core.verbs;

import java.lang.foreign.MemorySegment;

/**
 * The builder form of posting sends ({@code ibv_wr_start … ibv_wr_complete}): allocates nothing and
 * copies least. It carries state, so one thread at a time per queue pair; the requests between
 * {@link #wrStart} and {@link #wrComplete} are posted together or not at all, and the first mistake
 * is what {@code wrComplete} returns. A batch is of the thread that has begun it: what another
 * thread adds is left out, and its {@code wrComplete} returns {@link PostStatus#BUSY}. The thread
 * that is the last to call {@code wrStart} has the builder.
 *
 * <p>A request begins with one of the opcode methods, with the id, flags and callback that were set
 * before it; then its data is given ({@link #wrSetSge}, {@link #wrAddSge} or {@link #wrSetInline}).
 * An opcode that the type of the queue pair or the device does not offer makes {@code wrComplete}
 * return {@link PostStatus#NOT_SUPPORTED}.
 *
 * <pre>{@code
 * int status =
 *     qp.wrStart()
 *         .wrId(1)
 *         .wrFlags(SendFlags.SIGNALED)
 *         .wrSend()
 *         .wrSetSge(memory.lkey(), memory.iova(), 64)
 *         .wrComplete();
 * }</pre>
 */
public sealed interface WrBuilder permits QueuePair {

  /**
   * Begins a batch; what an earlier unfinished batch held is forgotten.
   *
   * @return this
   */
  @AnyContext
  @NotThreadSafe
  WrBuilder wrStart();

  /**
   * Sets the id of the requests that follow.
   *
   * @param wrId returned in the completion
   * @return this
   */
  @AnyContext
  WrBuilder wrId(long wrId);

  /**
   * Sets the flags of the requests that follow.
   *
   * @param flags bits of {@link SendFlags}; {@link SendFlags#INLINE} is implied by {@link
   *     #wrSetInline}
   * @return this
   */
  @AnyContext
  WrBuilder wrFlags(int flags);

  /**
   * Sets what a managed completion queue calls for the requests that follow.
   *
   * @param cqe the callback
   * @return this
   */
  @AnyContext
  WrBuilder wrCqe(Cqe cqe);

  /**
   * Begins a send.
   *
   * @return this
   */
  @AnyContext
  WrBuilder wrSend();

  /**
   * Begins a send with immediate.
   *
   * @param immData opaque 32 bits
   * @return this
   */
  @AnyContext
  WrBuilder wrSendImm(int immData);

  /**
   * Begins an RDMA write (RC, UC).
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space
   * @return this
   */
  @AnyContext
  WrBuilder wrRdmaWrite(int rkey, long remoteAddress);

  /**
   * Begins an RDMA write with immediate (RC, UC).
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space
   * @param immData opaque 32 bits
   * @return this
   */
  @AnyContext
  WrBuilder wrRdmaWriteImm(int rkey, long remoteAddress, int immData);

  /**
   * Begins an RDMA read (RC).
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space
   * @return this
   */
  @AnyContext
  WrBuilder wrRdmaRead(int rkey, long remoteAddress);

  /**
   * Begins a send that invalidates a key of the peer (RC, {@link Cap#MEM_MGT_EXTENSIONS}): the
   * receive completes with {@link WcFlags#WITH_INVALIDATE} and the key in its immediate data.
   *
   * @param invalidateRkey key of a fast registration or of a type 2 window bound to the peer's
   *     queue pair
   * @return this
   */
  @AnyContext
  WrBuilder wrSendInv(int invalidateRkey);

  /**
   * Begins a compare and swap (RC, {@link Cap#ATOMICS}): if the 8 bytes at the peer equal {@code
   * compare} they become {@code swap}. The data of the request is one place of 8 bytes that
   * receives the original value, in the machine's byte order.
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space, a multiple of 8
   * @param compare what to compare with
   * @param swap what to put in
   * @return this
   */
  @AnyContext
  WrBuilder wrAtomicCmpSwp(int rkey, long remoteAddress, long compare, long swap);

  /**
   * Begins a fetch and add (RC, {@link Cap#ATOMICS}); the data of the request is one place of 8
   * bytes that receives the original value.
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space, a multiple of 8
   * @param add what to add
   * @return this
   */
  @AnyContext
  WrBuilder wrAtomicFetchAdd(int rkey, long remoteAddress, long add);

  /**
   * Begins an atomic write of 8 bytes (RC, {@link Cap#ATOMIC_WRITE}); it has no data but the value.
   *
   * @param rkey remote key
   * @param remoteAddress in the remote region's space, a multiple of 8
   * @param value what to write, in the machine's byte order
   * @return this
   */
  @AnyContext
  WrBuilder wrAtomicWrite(int rkey, long remoteAddress, long value);

  /**
   * Begins a flush (RC, {@link Cap#FLUSH_GLOBAL}): completes when all that was written before is
   * visible or persistent at the peer. It has no data.
   *
   * @param rkey remote key
   * @param remoteAddress first byte, in the remote region's space
   * @param length bytes, at most 2^31; of no meaning for {@link Flush#MR}
   * @param type {@link Flush#GLOBAL} or {@link Flush#PERSISTENT}, or both
   * @param level {@link Flush#RANGE} or {@link Flush#MR}
   * @return this
   */
  @AnyContext
  WrBuilder wrFlush(int rkey, long remoteAddress, long length, int type, int level);

  /**
   * Begins the binding of a memory window (RC, UC; {@link Cap#MEM_WINDOW}, {@link
   * Cap#MEM_WINDOW_TYPE_2B}). A type 1 window may be bound again at any time and is unbound by
   * length 0; a type 2 window must be unbound, then belongs to this queue pair, and is unbound by
   * invalidation.
   *
   * @param window the window
   * @param rkey its key from now on: the present one with another low byte, see {@link
   *     MemoryRegion#nextKey}
   * @param region registered with {@link Access#MW_BIND}
   * @param address first byte, in the region's space
   * @param length bytes
   * @param access what the peer may do through the window, remote bits of {@link Access}
   * @return this
   */
  @AnyContext
  WrBuilder wrBindMw(
      MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access);

  /**
   * Begins the invalidation of a key of this side ({@link Cap#MEM_MGT_EXTENSIONS}): executed when
   * all requests before it are complete.
   *
   * @param rkey key of a fast registration or of a type 2 window bound to this queue pair
   * @return this
   */
  @AnyContext
  WrBuilder wrLocalInv(int rkey);

  /**
   * Begins a fast registration ({@link Cap#MEM_MGT_EXTENSIONS}) of what {@link MemoryRegion#map}
   * was given. The requests after it may use the region.
   *
   * @param region made by {@link ProtectionDomain#allocFastRegistration}, not registered now
   * @param key its remote key from now on: the present one with any low byte, see {@link
   *     MemoryRegion#nextKey}
   * @param access bits of {@link Access}
   * @return this
   */
  @AnyContext
  WrBuilder wrRegMr(MemoryRegion region, int key, int access);

  /**
   * Begins a large send (UD of {@link QpCreateFlags#IPOIB_UD_LSO}; {@code ibv_wr_send_tso}): the
   * data of the request is one TCP segment, which leaves in segments of {@code mss} bytes and a
   * last one of the rest. Each gets the header with its own length, IPv4 identification (counted up
   * from the first), sequence number and checksums; FIN and PSH are in the last one only, CWR in
   * the first. Data is given by elements, not inline: 1 byte to {@link Limit#MAX_TSO}, and at most
   * 256 segments, each of at most the path's MTU with its header, or the request completes with
   * {@link WcStatus#LOC_LEN_ERR}. {@link WcOpcode#LSO} is what it completes with.
   *
   * @param header encapsulation (RFC 4391: 0x0800 or 0x86dd), IPv4 or IPv6 header without extension
   *     headers, and TCP header; copied. Lengths and checksums in it do not matter. Anything else,
   *     or SYN, RST or URG, makes {@link #wrComplete} return {@link PostStatus#INVALID}
   * @param offset where it begins
   * @param headerLength bytes
   * @param mss bytes of data in each segment, 1 to 65535
   * @return this
   */
  @AnyContext
  WrBuilder wrSendTso(MemorySegment header, long offset, int headerLength, int mss);

  /**
   * Addresses the current request (UD).
   *
   * @param ah where to
   * @param remoteQpn 24 bits
   * @param remoteQkey the Q_Key; with the top bit set the queue pair's own is used (IBA 10.2.5)
   * @return this
   */
  @AnyContext
  WrBuilder wrSetUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey);

  /**
   * Gives the current request its only element.
   *
   * @param lkey local key
   * @param address in the region's space
   * @param length in bytes
   * @return this
   */
  @AnyContext
  WrBuilder wrSetSge(int lkey, long address, int length);

  /**
   * Adds an element to the current request.
   *
   * @param lkey local key
   * @param address in the region's space
   * @param length in bytes
   * @return this
   */
  @AnyContext
  WrBuilder wrAddSge(int lkey, long address, int length);

  /**
   * Copies the data of the current request now; the segment may be of any kind and is free at once.
   *
   * @param data the source
   * @param offset in bytes
   * @param length in bytes, at most {@link QpCap#maxInlineData}
   * @return this
   */
  @AnyContext
  WrBuilder wrSetInline(MemorySegment data, long offset, int length);

  /**
   * Posts the batch.
   *
   * @return {@link PostStatus#OK}, or a negative {@link PostStatus} and nothing was posted
   */
  @AnyContext
  @NotThreadSafe
  int wrComplete();

  /** Forgets the batch. */
  @AnyContext
  @NotThreadSafe
  void wrAbort();
}
