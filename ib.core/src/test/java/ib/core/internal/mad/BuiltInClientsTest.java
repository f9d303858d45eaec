package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.RemovalReport;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.sa.SaClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("M1 S41 the MAD and SA layers are clients 0 and 1")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BuiltInClientsTest {
  private static final int STEPS = 4;

  private final List<String> wrong = new ArrayList<>();
  private final Map<String, List<String>> added = new HashMap<>();
  private final List<String> removed = new ArrayList<>();

  /** Uses management in the first line of add and in the last of remove; may leave its agent. */
  private final class Ulp implements IbClient {
    private final String name;
    private final boolean tidy;

    Ulp(String name, boolean tidy) {
      this.name = name;
      this.tidy = tidy;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Object add(IbDevice device) {
      MadAgent agent =
          MadAgent.register(device, 1, MadRegistration.sender(QpType.SMI), MadHandler.NONE);
      use(agent, "add");
      added.computeIfAbsent(device.name(), d -> new ArrayList<>()).add(name);
      return agent;
    }

    @Override
    public void remove(IbDevice device, Object data) {
      if (!added.getOrDefault(device.name(), new ArrayList<>()).remove(name)) {
        wrong.add("remove " + name + " without add");
      }
      removed.add(name);
      MadAgent agent = (MadAgent) data;
      SaClient.open(device, 1).close();
      use(agent, "remove");
      if (tidy) {
        agent.close();
      }
    }

    private void use(MadAgent agent, String when) {
      Mad get = Mad.request(MgmtClass.SUBN_LID_ROUTED, 1, MadMethod.GET, 0x11, 0);
      int status = agent.query(get, MadAddress.smi(1, 1), 10_000, 0).join().mad().header().status();
      if (status != MadStatus.BAD_METHOD_ATTRIBUTE) { // the answer of a port without an agent
        wrong.add(name + " in " + when + ": status " + status);
      }
    }
  }

  /** A device comes or goes, or a client does. */
  private enum What {
    DEVICE,
    TIDY_CLIENT,
    LEAKY_CLIENT
  }

  /**
   * One step: what has this name comes when it is not there, and goes otherwise.
   *
   * @param what comes; a name is of one kind only
   * @param name d0, d1, u0, ...
   */
  private record Step(What what, String name) {}

  /** Every sequence of steps that differs in more than the names that it gives. */
  private static List<List<Step>> sequences() {
    List<List<Step>> all = List.of(List.of());
    for (int step = 0; step < STEPS; step++) {
      List<List<Step>> longer = new ArrayList<>();
      for (List<Step> begun : all) {
        Set<Step> next = new LinkedHashSet<>(begun); // what has a name comes or goes again
        long devices = next.stream().filter(s -> s.what() == What.DEVICE).count();
        long clients = next.size() - devices;
        if (devices < 2) {
          next.add(new Step(What.DEVICE, "d" + devices));
        }
        if (clients < 3) {
          next.add(new Step(What.TIDY_CLIENT, "u" + clients));
          next.add(new Step(What.LEAKY_CLIENT, "u" + clients));
        }
        next.forEach(s -> longer.add(Stream.concat(begun.stream(), Stream.of(s)).toList()));
      }
      all = longer;
    }
    return all;
  }

  @Test
  @DisplayName("M1 every sequence of four plugs and unplugs of devices and ULPs: they nest")
  void nesting() {
    List<List<Step>> all = sequences();
    assertEquals(all.size(), Set.copyOf(all).size(), "one twice");
    assertTrue(all.size() > 175, "1,000 random ones had 175 different ones: " + all.size());
    for (List<Step> steps : all) {
      run(steps);
      assertEquals(List.of(), wrong, steps.toString());
    }
  }

  private void run(List<Step> steps) {
    added.clear();
    StandaloneCore core = StandaloneCore.create();
    Map<String, DeviceRegistration> plugged = new HashMap<>();
    Map<String, FakeDevice> devices = new HashMap<>();
    Map<String, ClientRegistration> clients = new HashMap<>();
    Map<String, Boolean> tidy = new HashMap<>();
    for (Step step : steps) {
      String name = step.name();
      if (step.what() == What.DEVICE) {
        DeviceRegistration there = plugged.remove(name);
        if (there == null) {
          devices.put(name, new FakeDevice(name));
          plugged.put(name, core.drivers().register(devices.get(name)));
        } else {
          List<String> order = new ArrayList<>(List.of("mad", "sa"));
          order.addAll(added.getOrDefault(name, List.of()));
          removed.clear();
          there.unregister();
          assertEquals(order.subList(2, order.size()).reversed(), removed, steps.toString());
          left(core, name, order.reversed(), tidy);
          assertEquals(0, devices.get(name).live(), "objects of " + name);
        }
      } else {
        ClientRegistration there = clients.remove(name);
        if (there == null) {
          tidy.put(name, step.what() == What.TIDY_CLIENT);
          clients.put(name, core.core().registerClient(new Ulp(name, tidy.get(name))));
        } else {
          there.unregister();
        }
      }
    }
    core.close();
    devices.values().forEach(d -> assertEquals(0, d.live(), "at the end"));
  }

  private static void left(
      StandaloneCore core, String device, List<String> order, Map<String, Boolean> tidy) {
    RemovalReport report = core.core().lastRemoval(device).orElseThrow();
    assertEquals(order, report.steps().stream().map(RemovalReport.Step::client).toList());
    List<String> untidy = order.stream().filter(c -> !tidy.getOrDefault(c, true)).toList();
    assertEquals(
        untidy,
        report.leaks().stream().map(ib.core.client.LeakRecord::client).toList(),
        "D2: an agent that is left is a leak of its client");
    assertTrue(
        report.leaks().stream().allMatch(l -> l.object().startsWith("MAD agent")),
        report.leaks().toString());
  }

  @Test
  @DisplayName("M2 an idle midlayer has no thread of the MAD layer")
  void idle() {
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("idle0"));
      assertFalse(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(t -> t.getName().startsWith("ib-mad")),
          "no timer, no worker");
    }
  }
}
