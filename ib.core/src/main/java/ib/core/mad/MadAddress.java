package ib.core.mad;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.WellKnown;

/**
 * Where a datagram goes.
 *
 * @param ah the way; its port is that of the agent
 * @param qpn queue pair of the peer: 0, 1 or, redirected, another one
 * @param qkey Q_Key; 0 for QP0
 * @param pkeyIndex index into the port's P_Key table, or {@link #DEFAULT_PARTITION}
 */
public record MadAddress(AhAttr ah, int qpn, int qkey, int pkeyIndex) {
  /** The permissive LID: of directed routes, and of a port that has none yet (IBA 4.1.3). */
  public static final int PERMISSIVE_LID = 0xFFFF;

  /** In place of an index: wherever the default partition stands in the table. */
  public static final int DEFAULT_PARTITION = -1;

  /**
   * General services of a port.
   *
   * @param ah the way
   * @return QP1 there, default partition
   */
  public static MadAddress gsi(AhAttr ah) {
    return new MadAddress(ah, WellKnown.QPN_GSI, WellKnown.QP1_QKEY, DEFAULT_PARTITION);
  }

  /**
   * The subnet management interface of a port, by LID.
   *
   * @param port the port to leave by
   * @param lid destination
   * @return QP0 there
   */
  public static MadAddress smi(int port, int lid) {
    return new MadAddress(AhAttr.ofLid(port, lid, 0), WellKnown.QPN_SMI, 0, 0);
  }

  /**
   * The first hop of a directed route; the way stands in the datagram itself (IBA 14.2.2).
   *
   * @param port the port to leave by
   * @return QP0, permissive LID
   */
  public static MadAddress directed(int port) {
    return smi(port, PERMISSIVE_LID);
  }

  @Override
  public String toString() {
    GlobalRoute grh = ah.grh();
    String lid = ah.dlid() == PERMISSIVE_LID ? "the permissive LID" : "LID " + ah.dlid();
    return "QP " + qpn + " at " + (grh == null ? lid : grh.dgid());
  }
}
