package ib.ulp.ipoib.link;

import ib.cm.CmClient;

/** Holds the objects that all links of one client share. Any thread may use it. */
public final class Shared {
  final CmClient cm;
  final LocalEnds localEnds = new LocalEnds();
  final NearLinks nearLinks = new NearLinks();

  /**
   * Creates them.
   *
   * @param cm the connection manager, of which each link in connected mode has a share
   */
  public Shared(CmClient cm) {
    this.cm = cm;
  }
}
