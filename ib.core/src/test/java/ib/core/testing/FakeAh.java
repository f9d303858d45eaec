package ib.core.testing;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import java.util.concurrent.atomic.AtomicInteger;

/** An address handle of a {@link FakeDevice}. */
public final class FakeAh extends AddressHandle {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();
  private volatile AhAttr attr;

  FakeAh(ObjectControl control, FakeDevice device, AhAttr attr) {
    super(control);
    this.device = device;
    this.attr = attr;
    device.born(Kind.AH);
  }

  @Override
  public AhAttr query() {
    return attr;
  }

  @Override
  protected void doModify(AhAttr newAttr) {
    device.faults().hit("doModifyAh");
    attr = newAttr;
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.AH, deaths);
  }
}
