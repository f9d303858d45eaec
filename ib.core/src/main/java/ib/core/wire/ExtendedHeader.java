package ib.core.wire;

/** The headers that may follow BTH, in the order in which they do (IBA vol. 1 section 9.3). */
public enum ExtendedHeader {
  /** {@link Deth}. */
  DETH(Deth.BYTES),
  /** {@link Feth}. */
  FETH(Feth.BYTES),
  /** {@link Reth}. */
  RETH(Reth.BYTES),
  /** {@link AtomicEth}. */
  ATOMIC_ETH(AtomicEth.BYTES),
  /** {@link Aeth}. */
  AETH(Aeth.BYTES),
  /** {@link AtomicAckEth}. */
  ATOMIC_ACK_ETH(AtomicAckEth.BYTES),
  /** {@link ImmDt}. */
  IMM_DT(ImmDt.BYTES),
  /** {@link Ieth}. */
  IETH(Ieth.BYTES);

  private final int bytes;

  ExtendedHeader(int bytes) {
    this.bytes = bytes;
  }

  /** {@return its length} */
  public int bytes() {
    return bytes;
  }
}
