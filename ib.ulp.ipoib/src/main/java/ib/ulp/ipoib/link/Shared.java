package ib.ulp.ipoib.link;

import ib.ulp.ipoib.cm.CmPorts;

/** Holds the objects that all links of one client share. Any thread may use it. */
public final class Shared {
  private final CmPorts cmPorts = new CmPorts();
  private final LocalEnds localEnds = new LocalEnds();

  public Shared() {}

  CmPorts cmPorts() {
    return cmPorts;
  }

  LocalEnds localEnds() {
    return localEnds;
  }
}
