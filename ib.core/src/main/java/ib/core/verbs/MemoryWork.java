package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The further attributes of the requests on memory: REG_MR, BIND_MW and FLUSH (in C the structures
 * {@code ib_reg_wr}, {@code ibv_mw_bind_info} and {@code flush}). {@link SendWr#memory} sets them
 * for a request. The object is reusable, as the request is.
 */
@NotThreadSafe
public final class MemoryWork {
  private @Nullable MemoryRegion region;
  private @Nullable MemoryWindow window;
  private int key;
  private long address;
  private long length;
  private int access;
  private int flushType;
  private int flushLevel;

  /** An empty one. */
  public MemoryWork() {}

  /**
   * For REG_MR.
   *
   * @param what the region, made by {@link ProtectionDomain#allocFastRegistration}
   * @param newKey its remote key from now on, see {@link MemoryRegion#nextKey}
   * @param rights bits of {@link Access}
   * @return this
   */
  @AnyContext
  public MemoryWork register(MemoryRegion what, int newKey, int rights) {
    region = what;
    window = null;
    key = newKey;
    access = rights;
    return this;
  }

  /**
   * For BIND_MW.
   *
   * @param what the window
   * @param newKey its key from now on, see {@link MemoryRegion#nextKey}
   * @param of the region
   * @param first first byte, in the region's space
   * @param bytes how many; 0 unbinds a type 1 window
   * @param rights remote bits of {@link Access}
   * @return this
   */
  @AnyContext
  public MemoryWork bind(
      MemoryWindow what, int newKey, MemoryRegion of, long first, long bytes, int rights) {
    window = what;
    region = of;
    key = newKey;
    address = first;
    length = bytes;
    access = rights;
    return this;
  }

  /**
   * For FLUSH; key and address are those of the {@link SendWr}.
   *
   * @param bytes how many, at most 2^31; of no meaning for {@link Flush#MR}
   * @param type bits {@link Flush#GLOBAL}, {@link Flush#PERSISTENT}
   * @param level {@link Flush#RANGE} or {@link Flush#MR}
   * @return this
   */
  @AnyContext
  public MemoryWork flush(long bytes, int type, int level) {
    length = bytes;
    flushType = type;
    flushLevel = level;
    return this;
  }

  /** {@return the region of REG_MR or BIND_MW} */
  public @Nullable MemoryRegion region() {
    return region;
  }

  /** {@return the window of BIND_MW} */
  public @Nullable MemoryWindow window() {
    return window;
  }

  /** {@return the new remote key} */
  public int key() {
    return key;
  }

  /** {@return first byte of BIND_MW} */
  public long address() {
    return address;
  }

  /** {@return bytes of BIND_MW or FLUSH} */
  public long length() {
    return length;
  }

  /** {@return rights of REG_MR or BIND_MW} */
  public int access() {
    return access;
  }

  /** {@return placement types of FLUSH} */
  public int flushType() {
    return flushType;
  }

  /** {@return selectivity level of FLUSH} */
  public int flushLevel() {
    return flushLevel;
  }
}
