package ib.kit;

import ib.core.client.ClientRegistration;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assertions;

/** Devices are unplugged and plugged: order of the clients, leases (S27-S41, CC-21). */
final class HotplugCases {
  private HotplugCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("HOT", 61, "hot-plug", Cap.RC);
    s.add("clients are added in order and removed in reverse order (S39, S40)", t -> order(t));
    s.add(
        "unplugged and plugged 10 times with a client that makes everything: nothing is left",
        t -> cycles(t));
    s.add("a lease holds the device until it is closed (CC-21)", t -> lease(t));
    s.add(
        "a device that is gone is not found, and the other one works on",
        t -> {
          t.left();
          t.bench.unplug(t.name(1));
          Assertions.assertTrue(t.bench.core().device(t.name(1)).isEmpty());
          Assertions.assertThrows(
              IbNoDeviceException.class,
              () -> t.bench.core().lease(t.name(1), Trial.OWNER).close());
          t.pair(t.left(), t.left(), Shape.of(QpType.RC)).ping(t);
          t.bench.plug(t.name(1));
          t.pair(Shape.of(QpType.RC)).ping(t);
        });
    s.add(
        "the service object answers queries and refuses to create (D2)",
        t -> {
          IbDevice device = t.bench.core().device(t.name(0)).orElseThrow();
          Assertions.assertEquals(t.name(0), device.name());
          Assertions.assertThrows(IbPermissionException.class, device::allocPd);
          Assertions.assertThrows(
              IbPermissionException.class, () -> device.createCq(new CqInit(1)));
        });
  }

  private static void order(Trial t) {
    List<String> heard = new CopyOnWriteArrayList<>();
    for (String name : List.of("one", "two", "three")) {
      t.client(name, d -> heard.add("add " + name), d -> heard.add("remove " + name));
    }
    heard.clear();
    t.bench.unplug(t.name(1));
    t.bench.plug(t.name(1));
    Assertions.assertEquals(
        List.of("remove three", "remove two", "remove one", "add one", "add two", "add three"),
        heard);
  }

  private static void cycles(Trial t) {
    List<End> ends = new ArrayList<>();
    ClientRegistration r =
        t.client(
            "cycles",
            device -> {
              ends.add(new End(device, Shape.of(QpType.RC), t.bench));
              ends.getLast().init(0);
              ends.getLast().receive(1, 0, 8);
            },
            device -> ends.getLast().close());
    for (int i = 0; i < 10; i++) {
      t.bench.unplug(t.name(1));
      var report = t.bench.core().lastRemoval(t.name(1)).orElseThrow();
      Assertions.assertEquals(List.of(), report.leaks());
      t.bench.plug(t.name(1));
    }
    Assertions.assertEquals(11, ends.size());
    r.unregister();
  }

  private static void lease(Trial t) {
    AtomicBoolean gone = new AtomicBoolean();
    Thread unplugs;
    try (var lease = t.bench.core().lease(t.name(1), Trial.OWNER + " lease")) {
      unplugs =
          Thread.ofPlatform()
              .name("ib.kit unplug")
              .start(
                  () -> {
                    t.bench.unplug(t.name(1));
                    gone.set(true);
                  });
      Await.until(
          "the removal has begun", () -> t.bench.core().device(t.name(1)).isEmpty() || gone.get());
      Assertions.assertFalse(gone.get(), "gone under a lease");
      try (End e = new End(lease.device(), Shape.of(QpType.RC), t.bench);
          End f = new End(lease.device(), Shape.of(QpType.RC), t.bench)) {
        new Pair(e, f).connect(t.bench).ping(t); // it works to the end
      }
    }
    Await.end(unplugs);
    t.bench.plug(t.name(1));
  }
}
