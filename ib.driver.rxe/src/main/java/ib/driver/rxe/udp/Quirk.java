package ib.driver.rxe.udp;

import java.util.Locale;

/** Deviations from the specification that a device can share with Linux rdma_rxe. */
public enum Quirk {
  /** The ICRC of a FLUSH covers its headers twice, as in Linux rdma_rxe 6.12. */
  FLUSH_ICRC,
  /** Packets have MigReq 0, which says that the path has not migrated, as in Linux rdma_rxe. */
  MIGREQ_0,
  /**
   * A receive buffer that is too small is answered with a remote operational error (NAK 0x63), as
   * in Linux rdma_rxe.
   */
  NAK_63;

  /** {@return the word of this quirk in a configuration} */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
