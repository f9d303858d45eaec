package ib.tools.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import ib.core.client.ResourceRecord;
import ib.core.client.Violation;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.ObjectControl.Kind;
import ib.tools.getopt.CommandException;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 2, section 4: ib:clients, ib:plug, ib:unplug, ib:objects, ib:violations")
class HotplugCommandsTest {
  private final FakeCore core = new FakeCore(Rxe.hca("soft0", 0, 1));
  private final Slot slot = new Slot();

  /** A slot that leaves a report behind, like the core. */
  private final class Slot implements DeviceSlot {
    private boolean plugged = true;
    private RuntimeException failure;
    private RemovalReport report;

    @Override
    public String name() {
      return "soft1";
    }

    @Override
    public boolean plugged() {
      return plugged;
    }

    @Override
    public void plug() {
      if (failure != null) {
        throw failure;
      }
      plugged = true;
    }

    @Override
    public void unplug() {
      plugged = false;
      if (report != null) {
        core.removals.put(name(), report);
      }
    }
  }

  private static RemovalReport report(LeakRecord... leaks) {
    return new RemovalReport(
        "soft1",
        4_000_000,
        List.of(
            new RemovalReport.Step("ipoib", 3, 2_100_000, ""),
            new RemovalReport.Step("sa", 2, 300_000, "boom"),
            new RemovalReport.Step("mad", 1, 0, "")),
        List.of(leaks));
  }

  private String failure(String... args) {
    CommandException e =
        assertThrows(CommandException.class, () -> Slots.unplug(core, List.of(slot), args));
    return e.getMessage();
  }

  @Test
  @DisplayName("users J1: unplug prints the ordered removal")
  void unplug() {
    slot.report = report();
    Unplugged first = Slots.unplug(core, List.of(slot), "soft1");
    assertEquals(
        "remove ipoib(3) ← ok 2 ms · remove sa(2) ← FAILED 0 ms: boom · remove mad(1) ← ok 0 ms"
            + " · soft1 GONE in 4 ms, 0 objects leaked",
        first.text());
    assertEquals("ipoib", first.report().steps().getFirst().client());
    assertFalse(slot.plugged());
    assertEquals("soft1 is unplugged already", Slots.unplug(core, List.of(slot), "soft1").text());
  }

  @Test
  @DisplayName("a report of an earlier removal is not printed again")
  void staleReport() {
    core.removals.put("soft1", report());
    String text = Slots.unplug(core, List.of(slot), "soft1").text();
    assertTrue(text.matches("soft1 GONE in \\d+ ms, 0 objects leaked"), text);
  }

  @Test
  @DisplayName("CC-20: what leaked is named, with the stack that made it")
  void leaks() {
    LeakRecord leak =
        new LeakRecord(
            "hello",
            "soft1",
            "QP 17",
            5_000_000,
            "main",
            List.of("a.B.c(B.java:1)"),
            List.of("MR 3"));
    assertEquals(
        "soft1 GONE in 4 ms, 1 object leaked\n"
            + "  QP 17 of hello, 5 ms old, made by thread main, used by MR 3\n"
            + "    at a.B.c(B.java:1)",
        new Unplugged(new RemovalReport("soft1", 4_000_000, List.of(), List.of(leak)), false, false)
            .text());
  }

  @Test
  void unplugJson() {
    Unplugged u = new Unplugged(new RemovalReport("soft1", 4, List.of(), List.of()), false, true);
    assertEquals(
        "{\"device\":\"soft1\",\"already\":false,\"totalNs\":4,\"steps\":[],\"leaks\":[]}",
        u.text());
  }

  @Test
  void wrongSlots() {
    assertEquals("ib:unplug: which device?\nUsage: ib:unplug [-j] DEV", failure());
    assertEquals(
        "ib:unplug: one operand too many: 'b'\nUsage: ib:unplug [-j] DEV", failure("a", "b"));
    assertEquals("ib:unplug: no slot nosuch; there are soft1", failure("nosuch"));
    assertEquals("ib:unplug: invalid option -- 'x'\nUsage: ib:unplug [-j] DEV", failure("-x"));
    CommandException e =
        assertThrows(CommandException.class, () -> Slots.plug(core, List.of(), "a"));
    assertEquals("ib:plug: no slot a; no driver offers one", e.getMessage());
  }

  @Test
  @DisplayName("plug prints the added clients, in order")
  void plug() {
    core.clients.add(client("mad", 1, ClientStatus.State.LIVE, ""));
    core.clients.add(client("sa", 2, ClientStatus.State.REJECTED, "no"));
    slot.plugged = false;
    Plugged plugged = Slots.plug(core, List.of(slot), "soft1");
    assertTrue(
        plugged
            .text()
            .matches(
                "add mad\\(1\\) → ok 1 ms · add sa\\(2\\) → FAILED 1 ms: no · soft1 LIVE in \\d+"
                    + " ms"),
        plugged.text());
    assertEquals("soft1 is plugged in already", Slots.plug(core, List.of(slot), "soft1").text());
  }

  @Test
  @DisplayName("issue 2, section 5: the error says why a device cannot be built")
  void plugFails() {
    slot.plugged = false;
    slot.failure = new IbNoMemoryException("soft1", "no LID left", "a larger range");
    CommandException e =
        assertThrows(CommandException.class, () -> Slots.plug(core, List.of(slot), "soft1"));
    assertEquals(
        "ib:plug: soft1 cannot be plugged in\nsoft1: no LID left (ENOMEM). Try: a larger range",
        e.getMessage());
  }

  private static ClientStatus client(
      String name, long sequence, ClientStatus.State state, String error) {
    return new ClientStatus(
        name,
        sequence,
        sequence == 1 ? List.of() : List.of("mad"),
        List.of(new ClientStatus.Binding("soft1", state, 1_200_000, 0, error)));
  }

  @Test
  void clients() {
    core.clients.add(client("mad", 1, ClientStatus.State.LIVE, ""));
    core.clients.add(client("sa", 2, ClientStatus.State.REJECTED, "no"));
    core.clients.add(new ClientStatus("idle", 3, List.of(), List.of()));
    assertEquals(
        """
        ORDER  CLIENT  AFTER  DEVICE  STATE     ADD     REMOVE  LAST ERROR
        1      mad     -      soft1   LIVE      1.2 ms  -       -
        2      sa      mad    soft1   REJECTED  1.2 ms  -       no
        3      idle    -      -       -         -       -       -\
        """,
        Clients.run(core).text());
    assertTrue(
        Clients.run(core, "-j")
            .text()
            .startsWith(
                "[{\"name\":\"mad\",\"sequence\":1,\"after\":[],\"bindings\":[{\"device\":\"soft1\","
                    + "\"state\":\"LIVE\",\"addNs\":1200000,"));
    assertEquals("sa", Clients.run(core).get(1).name());
  }

  @Test
  void objects() {
    core.resources.add(new ResourceRecord("soft0", Kind.QP, 7, "hello", 0, Map.of("state", "RTS")));
    core.resources.add(new ResourceRecord("soft0", Kind.PD, 2, "hello", 1, Map.of()));
    assertEquals(
        """
        DEVICE  KIND  ID  USERS  OWNER  DETAILS
        soft0   PD    2   1      hello
        soft0   QP    7   0      hello  state RTS\
        """,
        Objects.run(core).text());
    assertEquals(2, Objects.run(core, "soft0").size());
    CommandException e = assertThrows(CommandException.class, () -> Objects.run(core, "nosuch"));
    assertEquals("ib:objects: no device nosuch", e.getMessage());
  }

  @Test
  @DisplayName("D8: counts of a device's events, as text and as values")
  void events() {
    assertEquals("DEVICE  EVENTS\nsoft0   dispatched 7", Events.run(core).text());
    assertEquals(7L, Events.run(core, "soft0").get(0).events().get("dispatched"));
    assertEquals(
        "[{\"device\":\"soft0\",\"events\":{\"dispatched\":7}}]", Events.run(core, "-j").text());
    CommandException e = assertThrows(CommandException.class, () -> Events.run(core, "nosuch"));
    assertEquals("ib:events: no device nosuch", e.getMessage());
  }

  @Test
  void violations() {
    assertEquals("no violations", Violations.run(core).text());
    assertEquals(0, Violations.run(core).getAsInt());
    core.violations.add(
        new Violation("S24", "drv", "twice at once", List.of("a.b(c)"), List.of("d.e(f)")));
    assertEquals("S24 drv: twice at once", Violations.run(core).text());
    assertEquals(1, Violations.run(core).getAsInt(), "issue 15: the exit status of ib exec");
    assertEquals(1, Violations.run(core, "-j").getAsInt());
    assertEquals(
        "S24 drv: twice at once\n    at a.b(c)\n  while\n    at d.e(f)",
        Violations.run(core, "-v").text());
    core.violations.set(0, new Violation("S26", "u", "slept", "poll", List.of("a"), List.of()));
    assertEquals("S26 u: slept\n  instead: poll\n    at a", Violations.run(core, "-v").text());
  }
}
