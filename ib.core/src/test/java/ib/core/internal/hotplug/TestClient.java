package ib.core.internal.hotplug;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import java.util.List;

/** A client whose behaviour is drawn, and which tells the model everything. */
final class TestClient implements IbClient {
  private final String name;
  private final World world;
  final List<String> after;
  ClientEntry entry;
  boolean leaving;
  boolean left;

  /** Its place in the order was changed by a rebind: no statement about it. */
  boolean loose;

  /** Hangs once. */
  boolean hangs;

  private boolean hung;
  private Sync.Signal free;

  TestClient(World world, String name, List<String> after) {
    this.world = world;
    this.name = name;
    this.after = after;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Object add(IbDevice device) {
    FakeHooks.Handle h = (FakeHooks.Handle) device;
    Model.Pair p = world.model.pair(this, (TestDevice) h.device);
    world.model.addBegins(p, h);
    boolean ok = false;
    try {
      h.make("PD");
      world.callback(this, p, "add");
      if (!p.revoked) {
        h.make("CQ");
      }
      ok = true;
      return p;
    } finally {
      world.model.addEnds(p, ok);
    }
  }

  @Override
  public void remove(IbDevice device, Object data) {
    FakeHooks.Handle h = (FakeHooks.Handle) device;
    Model.Pair p = world.model.pair(this, (TestDevice) h.device);
    world.model.removeBegins(p, h);
    try {
      world.callback(this, p, "remove");
      if (world.random.nextInt(4) != 0) {
        h.objects.clear();
      }
    } finally {
      world.model.removeEnds(p);
    }
  }

  @Override
  public void renamed(IbDevice device, Object data, String oldName) {
    Model.Pair p = (Model.Pair) data;
    world.model.enter(p, "renamed");
    try {
      world.callback(this, p, "renamed");
    } finally {
      world.model.leave(p, "renamed");
    }
  }

  /** Called when the client was revoked: its callback may return at any time from now on. */
  void givenUp() {
    if (free != null && world.random.nextBoolean()) {
      free.fire();
    }
  }

  /** Blocks until the run lets it go on, when it was planned to hang. */
  void maybeHang(Model.Pair p) {
    if (hangs && !hung) {
      hung = true;
      free = world.scheduler.signal();
      world.scheduler.whenIdle(free::fire);
      world.model.say(name + " hangs");
      p.revoked = true; // may be from now on: not judged
      free.await();
      p.revoked =
          world.hotplug.book.compute(
              () -> entry.broken.stream().anyMatch(b -> b.device == p.device.entry));
      world.model.say(name + " goes on, revoked: " + p.revoked);
    }
  }
}
