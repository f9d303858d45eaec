package ib.core.testing;

import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import java.util.concurrent.atomic.AtomicInteger;

/** A memory window of a {@link FakeDevice}. */
public final class FakeMw extends MemoryWindow {
  private final FakeDevice device;
  private final MwType type;
  private final AtomicInteger deaths = new AtomicInteger();

  FakeMw(ObjectControl control, FakeDevice device, MwType type) {
    super(control);
    this.device = device;
    this.type = type;
    device.born(Kind.MW);
  }

  @Override
  public MwType type() {
    return type;
  }

  @Override
  public int rkey() {
    device.touch(deaths);
    return 0x3000 + (int) id();
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.MW, deaths);
  }
}
