package ib.web.screens;

import ib.core.client.IbCore;
import ib.core.client.ResourceRecord;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.ObjectControl.Kind;
import ib.tools.diags.Why;
import ib.tools.getopt.CommandException;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.Screen;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All queue pairs; a click on one shows what {@code ib:why} finds. */
public final class PairsScreen extends Screen {
  private static final int MAX_ROWS = 500;

  private final IbCore core;
  private final Supplier<? extends Collection<QpDiagnosis>> diagnoses;

  /**
   * Creates the screen.
   *
   * @param core the midlayer
   * @param diagnoses the diagnosis services of all devices, read for each drawing
   */
  public PairsScreen(IbCore core, Supplier<? extends Collection<QpDiagnosis>> diagnoses) {
    super("pairs", "Queue pairs");
    this.core = core;
    this.diagnoses = diagnoses;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    List<ResourceRecord> pairs =
        core.resources().stream()
            .filter(r -> r.kind() == Kind.QP)
            .sorted(Comparator.comparing(ResourceRecord::device).thenComparing(ResourceRecord::id))
            .toList();
    String shown = query.get("show");
    if (!shown.isEmpty()) {
      drawWhy(out, shown);
    }
    out.open("table");
    out.row("th", "device", "number", "peer", "type", "state", "owner", "users");
    for (ResourceRecord r : pairs.stream().limit(MAX_ROWS).toList()) {
      String number = hex(r.details().get("lqpn"));
      out.open(
          "tr",
          "class",
          "pair " + r.details().get("state"),
          "data-show",
          r.device() + " " + number);
      out.element("td", r.device()).element("td", number);
      out.element("td", hex(r.details().get("rqpn")));
      out.element("td", r.details().getOrDefault("type", ""));
      out.element("td", r.details().getOrDefault("state", ""));
      out.element("td", r.owner().isEmpty() ? "ib.core" : r.owner()).element("td", r.users());
      out.close("tr");
    }
    out.close("table");
    if (pairs.size() > MAX_ROWS) {
      out.element("p", "The first " + MAX_ROWS + " of " + pairs.size(), "class", "note");
    }
  }

  private void drawWhy(Markup out, String shown) {
    out.open("section", "class", "panel", "id", "panel");
    String[] words = shown.split(" ");
    try {
      String text =
          Why.run(
                  diagnoses.get(),
                  Clock.systemDefaultZone(),
                  words.length == 2
                      ? new String[] {"--", words[0], words[1]}
                      : new String[] {"--", shown})
              .text();
      out.element("pre", text);
    } catch (CommandException e) { // it is destroyed meanwhile
      out.element("pre", String.valueOf(e.getMessage()), "class", "note");
    }
    out.close("section");
  }

  private static String hex(@Nullable Object number) {
    return number instanceof Number n ? String.format("0x%06x", n.intValue()) : "";
  }
}
