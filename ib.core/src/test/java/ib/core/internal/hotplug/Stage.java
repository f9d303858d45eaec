package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.fail;

import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A scene with named actors, played with several seeds: what a test asserts holds in every order.
 */
final class Stage implements Observer {
  static final long REPORT_NS = TimeUnit.SECONDS.toNanos(10);
  static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int SEEDS = 40;

  /** The code of a scene. */
  interface Scene {
    void play(Stage stage) throws Exception;
  }

  final Scheduler scheduler;
  final Hotplug hotplug;
  final List<String> log = new ArrayList<>();
  final List<Violation> violations = new ArrayList<>();
  final List<Stuck> stuck = new ArrayList<>();
  final List<LeakRecord> leaks = new ArrayList<>();
  final List<String> failures = new ArrayList<>();
  final List<String> notes = new ArrayList<>();
  private long guids = 1;

  Stage(long seed) {
    scheduler = new Scheduler(seed);
    Limits limits = new Limits(REPORT_NS, DEADLINE_NS);
    hotplug = new Hotplug(scheduler, scheduler::now, limits, new Rules(), this);
  }

  static void play(Scene scene) throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = new Stage(seed);
      try {
        scene.play(stage);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", log:\n  " + String.join("\n  ", stage.log), e);
      }
    }
  }

  /** Plays until all tasks have ended. */
  void run() throws InterruptedException {
    Throwable wrong = scheduler.run();
    if (wrong != null) {
      fail(wrong);
    }
  }

  Sync.Signal signal() {
    return scheduler.signal();
  }

  /** Plays a task of a thread, after which "NAME ends" is in the log. */
  void task(String name, Scheduler.Body body) {
    scheduler.task(
        name,
        () -> {
          body.run();
          log.add(name + " ends");
        });
  }

  FakeHooks device(String name) {
    return new FakeHooks(scheduler, name, guids++);
  }

  DeviceEntry announced(FakeHooks d) {
    return hotplug.announce(d, d.info, "driver", null);
  }

  DeviceEntry up(FakeHooks d) {
    DeviceEntry e = announced(d);
    hotplug.bringUp(e);
    return e;
  }

  DeviceEntry up(String name) {
    return up(device(name));
  }

  Client client(String name) {
    return new Client(name);
  }

  ClientEntry register(Client c, String... after) {
    c.entry = hotplug.announce(c, c.name(), List.of(after), null);
    hotplug.attach(c.entry);
    return c.entry;
  }

  ClientStatus.Binding status(String client, String device) {
    return hotplug.clients().stream()
        .filter(c -> c.name().equals(client))
        .flatMap(c -> c.bindings().stream())
        .filter(b -> b.device().equals(device))
        .findFirst()
        .orElseThrow();
  }

  int at(String line) {
    int i = log.indexOf(line);
    if (i < 0 || log.lastIndexOf(line) != i) {
      fail("not exactly once: " + line);
    }
    return i;
  }

  @Override
  public void violation(Violation violation) {
    violations.add(violation);
  }

  @Override
  public void leak(LeakRecord leak) {
    leaks.add(leak);
  }

  @Override
  public void failed(String where, Throwable error) {
    failures.add(where + ": " + error.getMessage());
  }

  @Override
  public void stuck(Stuck s) {
    stuck.add(s);
    log.add((s.revoked() ? "revoked " : "stuck ") + s.client());
  }

  @Override
  public void note(String text) {
    notes.add(text);
  }

  /** The code of a client's callback. */
  interface Script {
    Object run(FakeHooks.Handle handle) throws Exception;
  }

  /** A client whose callbacks are scripts; they are in the log with their beginning and end. */
  final class Client implements IbClient {
    private final String name;
    ClientEntry entry;
    Script onAdd = h -> "data";
    Script onRemove = h -> null;
    Script onRenamed = h -> null;
    String supported = "";
    BooleanSupplier onAsked = () -> true;
    Object removedWith = "nothing";

    Client(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean supports(DeviceInfo device) {
      return device.name().startsWith(supported) && onAsked.getAsBoolean();
    }

    @Override
    public Object add(IbDevice device) {
      return play("add", device, onAdd);
    }

    @Override
    public void remove(IbDevice device, Object clientData) {
      removedWith = clientData;
      play("remove", device, onRemove);
    }

    @Override
    public void renamed(IbDevice device, Object clientData, String oldName) {
      play("renamed " + oldName, device, onRenamed);
    }

    private Object play(String callback, IbDevice device, Script script) {
      String line = callback + " " + name + " " + device.name();
      log.add(line);
      scheduler.step();
      try {
        return script.run((FakeHooks.Handle) device);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      } finally {
        scheduler.step();
        log.add("end of " + line);
      }
    }
  }
}
