package ib.web.screens;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.spi.DeviceSlot;
import ib.tools.output.Units;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.Screen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Violations of the contract, what the last removals found left, and clients that failed. */
public final class ContractScreen extends Screen {
  private static final int MAX_SHOWN = 200;

  private final IbCore core;
  private final Supplier<? extends Collection<DeviceSlot>> slots;

  /**
   * Creates the screen.
   *
   * @param core the midlayer
   * @param slots the places of devices, read for each drawing
   */
  public ContractScreen(IbCore core, Supplier<? extends Collection<DeviceSlot>> slots) {
    super("contract", "Contract");
    this.core = core;
    this.slots = slots;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    List<Violation> violations = core.violations();
    out.element("h3", violations.size() + (violations.size() == 1 ? " violation" : " violations"));
    violations.reversed().stream().limit(MAX_SHOWN).forEach(v -> draw(out, v));
    List<LeakRecord> leaks = new ArrayList<>();
    for (DeviceSlot slot : slots.get()) {
      core.lastRemoval(slot.name()).ifPresent(r -> leaks.addAll(r.leaks()));
    }
    out.element("h3", leaks.size() + " objects leaked in the last removals");
    if (!leaks.isEmpty()) {
      out.open("table").row("th", "device", "object", "client", "age", "made by", "used by");
      leaks.stream().limit(MAX_SHOWN).forEach(l -> draw(out, l));
      out.close("table");
    }
    drawClients(out);
  }

  private static void draw(Markup out, Violation violation) {
    out.open("details", "class", "violation");
    out.element("summary", violation.headline());
    out.element("pre", violation.report()).close("details");
  }

  private static void draw(Markup out, LeakRecord leak) {
    String made = leak.thread() + (leak.stack().isEmpty() ? "" : " at " + leak.stack().getFirst());
    String pins = String.join(", ", leak.pinnedBy());
    String age = Units.wholeMs(leak.ageNs());
    out.row("td", leak.device(), leak.object(), leak.client(), age, made, pins);
  }

  private void drawClients(Markup out) {
    out.element("h3", "Clients");
    out.open("table").row("th", "order", "client", "device", "state", "add", "remove", "failure");
    for (ClientStatus client : core.clients()) {
      for (ClientStatus.Binding b : client.bindings()) {
        boolean bad = b.state() == ClientStatus.State.BROKEN || !b.lastError().isEmpty();
        out.open("tr", "class", bad ? "bad" : "");
        out.element("td", client.sequence()).element("td", client.name());
        out.element("td", b.device()).element("td", b.state());
        out.element("td", Units.ms(b.addNs())).element("td", Units.ms(b.removeNs()));
        out.element("td", b.lastError()).close("tr");
      }
    }
    out.close("table");
  }
}
