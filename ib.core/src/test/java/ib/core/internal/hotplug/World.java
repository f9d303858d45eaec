package ib.core.internal.hotplug;

import ib.core.client.DeviceLease;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbTimedOutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A random world: threads that register, unregister, rename, reset, lease; clients that fail or
 * reenter.
 */
final class World {
  private static final Limits LIMITS =
      new Limits(TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(60));

  final Scheduler scheduler;
  final Random random;
  final Model model;
  final Hotplug hotplug;
  private final boolean hangRun;
  private final boolean afterRun;
  private final List<TestDevice> devices = new ArrayList<>();
  private final List<TestClient> clients = new ArrayList<>();
  private final List<Integer> numbers = new ArrayList<>();
  private int made;
  private final Map<Thread, Integer> depths = new HashMap<>();

  World(long seed, Rules rules) {
    scheduler = new Scheduler(seed);
    random = scheduler.random();
    model = new Model(scheduler);
    hotplug = new Hotplug(scheduler, scheduler::now, LIMITS, rules, model);
    model.hotplug = hotplug;
    hangRun = random.nextInt(4) == 0;
    afterRun = random.nextInt(4) == 0;
    for (int i = 0; i < 12; i++) {
      numbers.add(random.nextInt(numbers.size() + 1), i);
    }
  }

  /** Runs it to the end. */
  Throwable run() throws InterruptedException {
    List<Sync.Signal> ends = new ArrayList<>();
    int threads = 2 + random.nextInt(4);
    for (int i = 0; i < threads; i++) {
      Sync.Signal end = scheduler.signal();
      ends.add(end);
      int ops = 3 + random.nextInt(6);
      scheduler.task(
          "t" + i,
          () -> {
            for (int n = 0; n < ops; n++) {
              op();
            }
            end.fire();
          });
    }
    scheduler.task(
        "closer",
        () -> {
          ends.forEach(Sync.Signal::await);
          finish();
        });
    return scheduler.run();
  }

  private void finish() {
    devices.forEach(d -> d.leaving = true);
    hotplug.close();
    devices.stream().filter(d -> d.entry != null && !d.left).forEach(model::deviceLeft);
    for (TestClient c : clients) {
      c.leaving = true;
      hotplug.unregisterClient(c.entry, Form.THROW);
      model.clientLeft(c);
    }
    Book book = hotplug.book;
    model.check(hotplug.clients().isEmpty(), "end", "clients left");
    model.check(book.devices.isEmpty(), "end", "devices left " + book.devices);
    model.check(book.graph.waits().isEmpty(), "end", "waits left");
  }

  // ---- one thing that a thread does ----

  private void op() {
    scheduler.step();
    try {
      switch (random.nextInt(12)) {
        case 0, 1 -> registerDevice();
        case 2, 3 -> registerClient();
        case 4 -> with(devices, this::unregisterDevice);
        case 5 -> with(clients, this::unregisterClient);
        case 6 -> with(devices, this::unregisterQueued);
        case 7 -> with(clients, this::rebind);
        case 8 -> with(devices, this::rename);
        case 9 -> with(devices, this::reset);
        default -> with(devices, this::lease);
      }
    } catch (IbExistsException | IbNoDeviceException | IbAgainException e) {
      model.say(e.getMessage());
    } catch (IbDeadlockException e) {
      model.check(inTheWay(), "I3", "refused without being in the way: " + e.getMessage());
    } catch (IbTimedOutException e) {
      model.say(e.getMessage()); // the model has judged the violation
    }
  }

  private <T> void with(List<T> list, Consumer<T> action) {
    if (!list.isEmpty()) {
      action.accept(list.get(random.nextInt(list.size())));
    }
  }

  /** In a callback, or with a lease: then adds may follow later. */
  private boolean inTheWay() {
    Thread me = Thread.currentThread();
    return model.callbacks.getOrDefault(me, 0) + model.leases.getOrDefault(me, 0) > 0;
  }

  private void registerDevice() {
    int n = made++;
    TestDevice d = new TestDevice(model, "d" + random.nextInt(8), random.nextInt(64), n);
    d.probeFailure =
        random.nextInt(8) == 0 ? new IbNoDeviceException("probe", "planned", "") : null;
    TestDevice parent = null;
    if (random.nextInt(4) == 0 && !devices.isEmpty()) {
      parent = devices.get(random.nextInt(devices.size()));
    }
    d.entry = hotplug.announce(d, d.info, this, parent == null ? null : parent.entry);
    model.say(
        "announced "
            + d.info.name()
            + " #"
            + n
            + (parent == null ? "" : " in " + parent.info.name()));
    if (parent != null) {
      parent.parts.add(d);
      d.leaving = parent.leaving;
      d.loose = parent.loose;
    }
    List<TestClient> known = List.copyOf(clients);
    known.forEach(c -> d.knownAtStart.put(c.name(), c));
    devices.add(d);
    model.letGo.remove(Thread.currentThread());
    try {
      hotplug.bringUp(d.entry);
    } catch (IbNoDeviceException e) {
      d.leaving = true;
      throw e;
    }
    if (!inTheWay() && !model.letGo.remove(Thread.currentThread())) {
      d.up = true;
      model.allSeen(d, known, "S39");
    }
  }

  private void registerClient() {
    if (numbers.isEmpty()) {
      return;
    }
    int n = numbers.removeFirst();
    List<String> after = new ArrayList<>();
    for (int i = 0; afterRun && i < n; i++) {
      if (random.nextInt(4) == 0) {
        after.add("c" + i);
      }
    }
    TestClient c = new TestClient(this, "c" + n, after);
    c.loose = afterRun && !after.isEmpty();
    c.hangs = hangRun && random.nextInt(3) == 0;
    model.hangs |= c.hangs;
    List<TestClient> earlier = List.copyOf(clients);
    c.entry = hotplug.announce(c, c.name(), after, null);
    model.say("announced " + c.name() + " after " + after);
    earlier.forEach(e -> model.order(e, c, "by registration"));
    clients.add(c);
    List<TestDevice> up = devices.stream().filter(d -> d.up).toList();
    model.letGo.remove(Thread.currentThread());
    hotplug.attach(c.entry);
    if (!inTheWay() && !model.letGo.remove(Thread.currentThread())) {
      up.forEach(d -> model.allSeen(d, List.of(c), "S37"));
    }
  }

  private void unregisterDevice(TestDevice d) {
    model.say("unregister " + d.info.name() + " #" + d.number);
    leaving(d);
    hotplug.unregister(d.entry, Form.THROW);
    if (d.entry.state != DeviceEntry.State.NEW) {
      model.deviceLeft(d);
    }
  }

  private static void leaving(TestDevice d) {
    d.leaving = true;
    d.parts.forEach(World::leaving);
  }

  private void unregisterQueued(TestDevice d) {
    if (random.nextInt(3) == 0) {
      model.say("unregister later " + d.info.name() + " #" + d.number);
      leaving(d);
      hotplug.unregisterQueued(d.entry);
    }
  }

  private void unregisterClient(TestClient c) {
    model.say("unregister " + c.name());
    c.leaving = true;
    hotplug.unregisterClient(c.entry, Form.THROW);
    model.clientLeft(c);
  }

  private void rebind(TestClient c) {
    c.loose = true;
    hotplug.rebind(c.entry, Form.THROW);
  }

  private void rename(TestDevice d) {
    hotplug.rename(d.entry, "n" + random.nextInt(20), Form.THROW);
  }

  private void reset(TestDevice d) {
    model.say("reset " + d.info.name() + " #" + d.number);
    suspended(d);
    hotplug.reset(d.entry, () -> noClients(d));
  }

  private void noClients(TestDevice d) {
    d.seen.clear();
    model.check(d.stack.stream().allMatch(p -> p.revoked), "CC-23", "clients during reset");
    d.parts.stream()
        .filter(c -> c.entry.state == DeviceEntry.State.RESETTING)
        .forEach(this::noClients);
  }

  private static void suspended(TestDevice d) {
    d.loose = true;
    d.parts.forEach(World::suspended);
  }

  private void lease(TestDevice d) {
    Thread me = Thread.currentThread();
    try (DeviceLease lease = hotplug.lease(d.entry.name(), me.getName())) {
      model.leases.merge(me, 1, Integer::sum);
      FakeHooks.Handle h = (FakeHooks.Handle) lease.device();
      model.check(!h.poisoned || model.hangs, "CC-21", "poisoned lease");
      try {
        again();
        scheduler.step();
        model.check(!h.device.gone || model.hangs, "CC-21", "device went under a lease");
      } finally {
        model.leases.merge(me, -1, Integer::sum);
      }
    }
  }

  /** Another operation from inside one, sometimes. */
  private void again() {
    Thread me = Thread.currentThread();
    int depth = depths.merge(me, 1, Integer::sum);
    if (depth <= 2 && random.nextInt(3) == 0) {
      op();
    }
    depths.merge(me, -1, Integer::sum);
  }

  /** Runs a callback of a client. */
  void callback(TestClient c, Model.Pair p, String kind) {
    for (int n = random.nextInt(3); n > 0; n--) {
      scheduler.step();
    }
    if (hangRun) {
      c.maybeHang(p);
    } else {
      again();
    }
    if (random.nextInt(8) == 0 && !p.revoked) {
      throw new IllegalStateException("planned failure in " + kind);
    }
  }
}
