package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A device as the model sees it. */
final class TestDevice extends FakeHooks {
  private final Model model;
  final int number;
  final List<Model.Pair> stack = new ArrayList<>();
  final List<TestClient> seen = new ArrayList<>();
  final Map<String, TestClient> knownAtStart = new HashMap<>();
  DeviceEntry entry;
  boolean left;

  /** Its removal has been asked for. */
  boolean leaving;

  /** Its registration has returned. */
  boolean up;

  /** May be reset: clients go and come at other times too. */
  boolean loose;

  final List<TestDevice> parts = new ArrayList<>();

  TestDevice(Model model, String name, long guid, int number) {
    super(model.scheduler, name, guid);
    this.model = model;
    this.number = number;
  }

  @Override
  public void probe() {
    unlocked("probe");
    super.probe();
  }

  @Override
  public void drain() {
    unlocked("drain");
    super.drain();
  }

  @Override
  public List<LeakRecord> gone() {
    unlocked("gone");
    return super.gone();
  }

  private void unlocked(String call) {
    model.check(!model.hotplug.book.heldByMe(), "I5", "a lock is held in " + call);
  }
}
