package ib.driver.soft;

import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl;
import java.util.List;

/**
 * The book of objects of a device that no midlayer knows: so QP0 and QP1 are free for a test. It
 * keeps nothing but the way to end an object.
 */
final class LoneControl implements ObjectControl {
  private final Kind kind;
  private final IbDevice device;
  private Runnable destroyer = () -> {};
  private boolean live = true;

  LoneControl(Kind kind, IbDevice device) {
    this.kind = kind;
    this.device = device;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public long id() {
    return 0;
  }

  @Override
  public IbDevice device() {
    return device;
  }

  @Override
  public String owner() {
    return "test";
  }

  @Override
  public void enter(String method) {}

  @Override
  public void enterAnyContext(String method) {}

  @Override
  public ObjectControl child(Kind of, IbObject... uses) {
    return new LoneControl(of, device);
  }

  @Override
  public void publish(IbObject self, Runnable how) {
    destroyer = how;
  }

  @Override
  public void abort() {}

  @Override
  public void destroy() {
    if (live) {
      live = false;
      destroyer.run();
    }
  }

  @Override
  public void raise(IbEvent event) {}

  @Override
  public int useCount() {
    return 0;
  }

  @Override
  public List<IbObject> users() {
    return List.of();
  }

  @Override
  public boolean isLive() {
    return live;
  }
}
