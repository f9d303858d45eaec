package ib.driver.soft.sma;

/** The headers of a packet with a wrong key. Reused; only one thread at a time uses it. */
public final class Offence {
  /** Where it came from. */
  public int slid;

  /** Where it went. */
  public int dlid;

  /** Service level. */
  public int sl;

  /** The key. */
  public int key;

  /** The queue pair that has sent the packet. */
  public int sourceQpn;

  /** For whom. */
  public int destQpn;

  /** Upper half of the source GID, 0 without a GRH. */
  public long sgidHigh;

  /** Lower half. */
  public long sgidLow;

  /** Upper half of the destination GID, 0 without a GRH. */
  public long dgidHigh;

  /** Lower half. */
  public long dgidLow;

  /** Says nothing yet. */
  public Offence() {}
}
