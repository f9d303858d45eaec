package ib.tools.hotplug;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code ib:plug} and {@code ib:unplug}, through the device slots of the drivers. Calls block until
 * the device is plugged or unplugged.
 */
public final class Slots {
  private Slots() {}

  /**
   * Plugs a device. Blocks until all clients were added.
   *
   * @param core the midlayer
   * @param slots the slots of all drivers
   * @param args a slot's name, and {@code -j} or {@code --json}
   * @return the clients that were added, in order
   * @throws CommandException when there is no such slot or the device cannot be built
   */
  public static Plugged plug(IbCore core, Collection<DeviceSlot> slots, String... args) {
    Parsed line = parse("ib:plug", args);
    DeviceSlot slot = slot("ib:plug", slots, line);
    String name = slot.name();
    boolean already = slot.plugged();
    long start = System.nanoTime();
    try {
      slot.plug();
    } catch (IbException e) {
      throw new CommandException("ib:plug: " + name + " cannot be plugged in", e);
    }
    long totalNs = System.nanoTime() - start;
    List<Plugged.Step> steps = new ArrayList<>();
    for (ClientStatus c : core.clients()) {
      c.bindings().stream()
          .filter(b -> b.device().equals(name))
          .filter(b -> b.state() != ClientStatus.State.NONE)
          .map(b -> new Plugged.Step(c.name(), c.sequence(), b.addNs(), b.lastError()))
          .forEach(steps::add);
    }
    return new Plugged(name, already, totalNs, steps, line.has("json"));
  }

  /**
   * Unplugs a device. Blocks until all clients were removed and the device is destroyed.
   *
   * @param core the midlayer
   * @param slots the slots of all drivers
   * @param args a slot's name, and {@code -j} or {@code --json}
   * @return the clients that were removed, in order, and the leaks
   * @throws CommandException when there is no such slot
   */
  public static Unplugged unplug(IbCore core, Collection<DeviceSlot> slots, String... args) {
    Parsed line = parse("ib:unplug", args);
    DeviceSlot slot = slot("ib:unplug", slots, line);
    String name = slot.name();
    boolean already = !slot.plugged();
    RemovalReport before = core.lastRemoval(name).orElse(null);
    long start = System.nanoTime();
    try {
      slot.unplug();
    } catch (IbException e) {
      throw new CommandException("ib:unplug: " + name + " cannot be unplugged", e);
    }
    long totalNs = System.nanoTime() - start;
    RemovalReport report =
        core.lastRemoval(name)
            .filter(r -> !r.equals(before))
            .orElseGet(() -> new RemovalReport(name, totalNs, List.of(), List.of()));
    return new Unplugged(report, already, line.has("json"));
  }

  private static Parsed parse(String command, String... args) {
    String usage = "Usage: " + command + " [-j] DEV";
    Parsed line = new Getopt(command, usage, "j,json").parse(args).atMost(1);
    if (line.operands().isEmpty()) {
      throw new CommandException(command + ": which device?\n" + usage);
    }
    return line;
  }

  private static DeviceSlot slot(String command, Collection<DeviceSlot> slots, Parsed line) {
    String name = line.operands().getFirst();
    return slots.stream()
        .filter(s -> s.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new CommandException(command + ": no slot " + name + "; " + known(slots)));
  }

  private static String known(Collection<DeviceSlot> slots) {
    return slots.isEmpty()
        ? "no driver offers one"
        : "there are "
            + slots.stream().map(DeviceSlot::name).sorted().collect(Collectors.joining(", "));
  }
}
