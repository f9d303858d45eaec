package ib.core.internal.device;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.util.Map;

/**
 * Tries a device before any client sees it (S27): asks for every mandatory attribute (GIDs and
 * P_Keys have just been loaded from the driver) and makes and destroys one object of each kind that
 * it says it has. A driver that announces itself too early fails here.
 */
final class Probe {
  private static final Map<Cap, QpType> TYPES =
      Map.of(Cap.RC, QpType.RC, Cap.UC, QpType.UC, Cap.UD, QpType.UD);

  private Probe() {}

  static void run(IbDevice device) {
    for (int port = 1; port <= device.portCount(); port++) {
      device.queryPort(port);
      device.gid(port, 0);
      device.pkey(port, 0);
    }
    try (ProtectionDomain pd = device.allocPd();
        CompletionQueue cq = device.createCq(new CqInit(1))) {
      pd.allocMemory(64, 64, Access.LOCAL_WRITE).close();
      address(device, pd);
      TYPES.forEach(
          (cap, type) -> {
            if (device.has(cap)) {
              pd.createQp(new QpInit(type, cq, new QpCap(1, 1, 1, 1, 0))).close();
            }
          });
      if (device.has(Cap.SRQ)) {
        pd.createSrq(new SrqInit(new SrqAttr(1, 1, 0), null, null)).close();
      }
    }
  }

  /** On Ethernet only a GID is an address: the port's own is the one that always answers. */
  private static void address(IbDevice device, ProtectionDomain pd) {
    if (device.queryPort(1).linkLayer() != LinkLayer.ETHERNET) {
      pd.createAh(AhAttr.ofLid(1, 1, 0)).close();
      return;
    }
    Gid own = device.gid(1, 0);
    if (!own.equals(Gid.ZERO)) { // else the link has no address yet
      pd.createAh(AhAttr.ofGid(1, GlobalRoute.to(own, 0))).close();
    }
  }
}
