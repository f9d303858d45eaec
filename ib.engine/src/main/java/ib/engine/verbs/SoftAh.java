package ib.engine.verbs;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Limit;
import ib.core.verbs.ObjectControl;
import ib.engine.port.HcaCore;
import ib.engine.wire.Route;

/** An address handle: posted requests keep the route they were given, so it may go at once (S5). */
public final class SoftAh extends AddressHandle {
  private final HcaCore hca;
  final int domain;
  private volatile Route route;

  SoftAh(ObjectControl control, HcaCore hca, int domain, AhAttr attr) {
    super(control);
    this.hca = hca;
    this.domain = domain;
    this.route = hca.port(attr.port()).route(attr);
  }

  Route route() {
    return route;
  }

  @Override
  public AhAttr query() {
    return route.attr();
  }

  @Override
  protected void doModify(AhAttr attr) {
    route = hca.port(attr.port()).route(attr);
  }

  @Override
  protected void doDestroy() {
    hca.discount(Limit.MAX_AH);
  }
}
