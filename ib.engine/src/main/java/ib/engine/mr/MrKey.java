package ib.engine.mr;

import java.lang.foreign.MemorySegment;

/**
 * What one key opens: immutable but for being revoked. A region has one for its lkey and one for
 * its rkey; a change of the region makes new ones.
 */
public final class MrKey {
  private final int key;
  private final int domain;
  private final MemorySegment segment;
  private final long iova;
  private final long length;
  private final int access;
  private volatile boolean live = true;

  /**
   * Describes what the key opens.
   *
   * @param key 32 bits
   * @param domain number of the protection domain
   * @param segment the memory
   * @param iova address of its first byte in work requests
   * @param access bits of {@code Access}
   */
  public MrKey(int key, int domain, MemorySegment segment, long iova, int access) {
    this.key = key;
    this.domain = domain;
    this.segment = segment;
    this.iova = iova;
    this.length = segment.byteSize();
    this.access = access;
  }

  /** {@return the key, 32 bits} */
  public int key() {
    return key;
  }

  /** {@return the memory} */
  public MemorySegment segment() {
    return segment;
  }

  /** {@return the address of the first byte in work requests} */
  public long iova() {
    return iova;
  }

  /** {@return bytes} */
  public long length() {
    return length;
  }

  /** {@return bits of {@code Access}} */
  public int access() {
    return access;
  }

  /** {@return whether it has not been revoked and its memory is there (D6)} */
  public boolean live() {
    return live && segment.scope().isAlive();
  }

  /**
   * From now on nothing is opened; who is copying already is waited for by the queue pairs' fence.
   */
  public void revoke() {
    live = false;
  }

  /**
   * The one check of every access to registered memory: domain, rights, bounds, life (D6).
   *
   * @param requester number of the protection domain of the queue pair
   * @param rights bits of {@code Access} that are needed
   * @param address first byte, in the region's space
   * @param bytes how many
   * @return whether the access is allowed
   */
  public boolean allows(int requester, int rights, long address, long bytes) {
    long offset = address - iova;
    return domain == requester
        && (access & rights) == rights
        && offset >= 0
        && bytes <= length - offset
        && live;
  }
}
