package ib.engine.verbs;

import ib.core.verbs.Limit;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.engine.mr.Window;
import ib.engine.port.HcaCore;
import ib.engine.qp.Hca;

/** A memory window as its user sees it; its key opens a {@link Window}. */
public final class SoftMw extends MemoryWindow {
  private final SoftPd pd;
  private final Window window;

  SoftMw(ObjectControl control, SoftPd pd, MwType type) {
    super(control);
    this.pd = pd;
    HcaCore hca = pd.hca;
    this.window = new Window(type, pd.domain, hca.keyNumbers().next());
    hca.rkeys().put(window.key());
  }

  @Override
  public MwType type() {
    return window.type();
  }

  /** Whether it is one of a device. */
  boolean isOf(Hca device) {
    return pd.hca.equals(device);
  }

  @Override
  public int rkey() {
    return window.key().number();
  }

  @Override
  protected void doDestroy() {
    HcaCore hca = pd.hca;
    window.close();
    hca.rkeys().remove(window.key());
    try {
      pd.fence(window.key());
      hca.keyNumbers().retire(window.key().number());
    } finally {
      hca.discount(Limit.MAX_MW);
    }
  }
}
