package ib.health.internal;

import ib.core.client.ClientStatus;
import ib.core.client.ClientStatus.State;
import ib.core.client.IbCore;
import ib.core.client.Violation;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.health.Finding;
import ib.health.Finding.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One look at everything that can be wrong.
 *
 * @param core the midlayer
 * @param slots of all drivers
 * @param bundles all bundles of the framework
 * @param found by others, of the check {@code bundles}
 */
record Examination(
    IbCore core,
    Collection<DeviceSlot> slots,
    Collection<BundleState> bundles,
    Collection<Finding> found) {
  private static final List<String> LOSSES =
      List.of("lost", "handler_lost", "late", "handler_errors", "refresh_errors", "unposted");

  /**
   * A bundle of the framework.
   *
   * @param name its symbolic name
   * @param id its number
   * @param resolved whether it has what it requires
   * @param started whether it runs, or is a fragment, which cannot run
   */
  record BundleState(String name, long id, boolean resolved, boolean started) {}

  /** {@return at least one finding for each check} */
  List<Finding> findings() {
    List<Finding> all = new ArrayList<>();
    devices(all);
    ports(all);
    clients(all);
    events(all);
    contract(all);
    bundles(all);
    return all;
  }

  private void devices(List<Finding> all) {
    List<DeviceSlot> known = slots.stream().sorted(Comparator.comparing(DeviceSlot::name)).toList();
    List<String> plugged = core.devices().stream().map(DeviceInfo::name).toList();
    known.forEach(slot -> slot(all, slot));
    if (plugged.isEmpty()) {
      String text = "there is no device";
      all.add(new Finding("devices", Verdict.FAIL, text, "a file in conf/, see its examples"));
    } else {
      all.add(Finding.ok("devices", String.join(", ", plugged)));
    }
  }

  /**
   * Judges a slot. A slot says that it is plugged after its device was registered, and stops saying
   * so before its device is unregistered; so a device whose slot is not plugged is coming or going.
   */
  private void slot(List<Finding> all, DeviceSlot slot) {
    boolean plugged = slot.plugged();
    boolean there = core.device(slot.name()).isPresent();
    if (!plugged && !there) {
      String plug = "ib:plug " + slot.name();
      all.add(new Finding("devices", Verdict.WARN, slot.name() + " is unplugged", plug));
    } else if (plugged && !there && slot.plugged()) { // still: it did not go between the two looks
      String text = slot.name() + " is plugged, and the midlayer does not have it";
      all.add(new Finding("devices", Verdict.FAIL, text, "the log"));
    }
  }

  private void ports(List<Finding> all) {
    int active = 0;
    for (DeviceInfo info : core.devices()) {
      IbDevice device = core.device(info.name()).orElse(null);
      for (int port = 1; device != null && port <= info.portCount(); port++) {
        String name = info.name() + "/" + port;
        try {
          active += port(all, name, device.queryPort(port)) ? 1 : 0;
        } catch (IbException e) {
          all.add(new Finding("ports", Verdict.WARN, name + ": " + e.getMessage(), ""));
        }
      }
    }
    if (active > 0 || core.devices().isEmpty()) {
      all.add(Finding.ok("ports", active + " active"));
    }
  }

  /** {@return whether a port is active} */
  static boolean port(List<Finding> all, String name, PortAttr port) {
    boolean managed = port.linkLayer() == LinkLayer.INFINIBAND;
    boolean active = port.state() == PortState.ACTIVE || port.state() == PortState.ACTIVE_DEFER;
    String state = name + " is " + port.state().label();
    if (!active && managed && port.state() != PortState.DOWN) {
      String text = state + ": no subnet manager has made it active";
      all.add(new Finding("ports", Verdict.FAIL, text, "sminfo"));
    } else if (!active) {
      all.add(new Finding("ports", Verdict.FAIL, state, "rdma link, ibv_devinfo -v"));
    } else if (managed && port.smLid() == 0) {
      String text = name + " is active, and knows no subnet manager";
      all.add(new Finding("ports", Verdict.WARN, text, "sminfo"));
    }
    return active;
  }

  private void clients(List<Finding> all) {
    int live = 0;
    for (ClientStatus client : core.clients()) {
      for (ClientStatus.Binding b : client.bindings()) {
        live += b.state() == State.LIVE ? 1 : 0;
        if (b.state() == State.REJECTED || b.state() == State.BROKEN) {
          String text = "%s on %s is %s: %s";
          String why = b.lastError().isEmpty() ? "it gave no reason" : b.lastError();
          String said = text.formatted(client.name(), b.device(), b.state(), why);
          all.add(new Finding("clients", Verdict.FAIL, said, "ib:clients"));
        }
      }
    }
    if (all.stream().noneMatch(f -> f.check().equals("clients"))) {
      all.add(Finding.ok("clients", core.clients().size() + " clients, " + live + " bindings"));
    }
  }

  private void events(List<Finding> all) {
    int before = all.size();
    for (DeviceInfo info : core.devices()) {
      Map<String, Long> counters = core.eventCounters(info.name());
      String bad =
          LOSSES.stream()
              .filter(name -> counters.getOrDefault(name, 0L) > 0)
              .map(name -> name + " " + counters.get(name))
              .collect(Collectors.joining(", "));
      if (!bad.isEmpty()) {
        String text = info.name() + ": " + bad;
        all.add(new Finding("events", Verdict.WARN, text, "ib:events " + info.name()));
      }
    }
    if (all.size() == before) {
      all.add(Finding.ok("events", "none lost or late"));
    }
  }

  private void contract(List<Finding> all) {
    List<Violation> violations = core.violations();
    if (violations.isEmpty()) {
      all.add(Finding.ok("contract", "no clause is broken"));
    }
    violations.stream()
        .collect(Collectors.groupingBy(v -> v.clause() + " by " + v.culprit()))
        .forEach(
            (which, same) -> {
              String text = which + (same.size() == 1 ? "" : ", at " + same.size() + " places");
              all.add(new Finding("contract", Verdict.FAIL, text, "ib:violations -v"));
            });
  }

  private void bundles(List<Finding> all) {
    int before = all.size();
    for (BundleState bundle : bundles) {
      String start = "felix:start " + bundle.id();
      if (!bundle.resolved()) {
        String text = bundle.name() + " misses what it requires";
        all.add(new Finding("bundles", Verdict.FAIL, text, start));
      } else if (!bundle.started()) {
        String text = bundle.name() + " is not started";
        all.add(new Finding("bundles", Verdict.WARN, text, start));
      }
    }
    all.addAll(found);
    if (all.size() == before) {
      all.add(Finding.ok("bundles", bundles.size() + " run"));
    }
  }
}
