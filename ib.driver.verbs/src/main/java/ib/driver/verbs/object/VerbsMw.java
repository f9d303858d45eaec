package ib.driver.verbs.object;

import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.ValueLayout;

/** A memory window. Posted requests bind it. */
final class VerbsMw extends MemoryWindow {
  private static final long BYTES = Layout.size("ibv_mw");
  private static final long RKEY = Layout.at("ibv_mw", "rkey", 4);

  private final VerbsPd pd;
  private final MwType type;
  final long address;
  final Held held = new Held();
  private volatile int rkey;

  VerbsMw(ObjectControl control, VerbsPd pd, MwType type) {
    super(control);
    this.pd = pd;
    this.type = type;
    VerbsContext context = pd.context;
    try (Frame frame = new Frame()) {
      address = context.make(frame, "allocWindow", context.allocMw, pd.address, type.value());
      rkey = Frame.at(address, BYTES).get(ValueLayout.JAVA_INT, RKEY);
    }
  }

  /** A bind was executed. */
  void bound(int key) {
    rkey = key;
  }

  @Override
  public MwType type() {
    return type;
  }

  @Override
  public int rkey() {
    return rkey;
  }

  @Override
  protected void doDestroy() {
    held.end();
    VerbsContext context = pd.context;
    try (Frame frame = new Frame()) {
      context.destroyed("MW", frame.check(context.deallocMw, address));
    }
  }
}
