package ib.driver.soft.sma;

/** The headers of a packet with a wrong key. Only one thread at a time uses an instance. */
public final class Offence {
  /** The source LID. */
  public int slid;

  /** The destination LID. */
  public int dlid;

  /** The service level. */
  public int sl;

  /** The wrong P_Key or Q_Key. */
  public int key;

  /** The queue pair that has sent the packet. */
  public int sourceQpn;

  /** The destination queue pair. */
  public int destQpn;

  /** Upper half of the source GID, 0 without a GRH. */
  public long sgidHigh;

  /** Lower half of the source GID, 0 without a GRH. */
  public long sgidLow;

  /** Upper half of the destination GID, 0 without a GRH. */
  public long dgidHigh;

  /** Lower half of the destination GID, 0 without a GRH. */
  public long dgidLow;

  /** Makes an instance whose fields are all 0. */
  public Offence() {}
}
