package ib.web.screens;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultInjection.Active;
import ib.core.spi.FaultRule;
import ib.tools.fault.FaultCommand;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import ib.web.page.Screen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** A form for the rules of {@code ib:fault}, and the rules in effect. */
public final class FaultsScreen extends Screen {
  /** The keys of a rule that the form has, with an example of each. */
  private enum Field {
    RATE("rate", "5%"),
    DIR("dir", "out, in or both"),
    PORT("port", "all"),
    OPCODE("opcode", "0x04"),
    QP("qp", "0x12ab34"),
    PSN("psn", "first-last"),
    PEER("peer", "LID"),
    SKIP("skip", "0"),
    COUNT("count", "no limit"),
    DELAY("delay", "100us"),
    JITTER("jitter", "20us"),
    PACKETS("packets", "1 to 256");

    private final String key;
    private final String example;

    Field(String key, String example) {
      this.key = key;
      this.example = example;
    }
  }

  private final Supplier<? extends Collection<FaultInjection>> injections;

  /**
   * Creates the screen.
   *
   * @param injections the fault services of all devices, read for each drawing
   */
  public FaultsScreen(Supplier<? extends Collection<FaultInjection>> injections) {
    super("faults", "Faults");
    this.injections = injections;
  }

  private List<FaultInjection> sorted() {
    return injections.get().stream().sorted(Comparator.comparing(FaultInjection::device)).toList();
  }

  @Override
  public void drawControls(Markup out, Query query) {
    out.open("form", "data-act", "add");
    out.open("label").text("device ").open("select", "name", "device");
    sorted().forEach(i -> out.element("option", i.device()));
    out.close("select").close("label");
    out.open("label").text("kind ").open("select", "name", "kind");
    Arrays.stream(FaultRule.Kind.values()).forEach(k -> out.element("option", k.label()));
    out.close("select").close("label");
    for (Field field : Field.values()) {
      out.open("label").text(field.key + " ");
      out.open("input", "name", field.key, "placeholder", field.example, "size", 9);
      out.close("label");
    }
    out.element("button", "add", "type", "submit").close("form");
  }

  @Override
  public void drawLive(Markup out, Query query) {
    out.open("table").row("th", "device", "number", "rule", "fitting", "hit", "");
    for (FaultInjection injection : sorted()) {
      for (Active rule : injection.list()) {
        out.open("tr", "class", "rule");
        out.element("td", injection.device()).element("td", rule.id());
        out.element("td", rule.rule()).element("td", rule.fitting()).element("td", rule.hit());
        out.open("td");
        out.button("clear", "remove", "device", injection.device(), "number", rule.id() + "");
        out.close("td").close("tr");
      }
    }
    out.close("table");
    out.button("clear", "remove all");
  }

  @Override
  public String act(Query query) {
    return switch (query.get("act")) {
      case "add" -> add(query);
      case "clear" -> clear(query);
      default -> throw new RefusedException("faults has no order " + query.get("act"));
    };
  }

  private String add(Query query) {
    List<String> words =
        new ArrayList<>(List.of("add", "--", query.get("device"), query.get("kind")));
    for (Field field : Field.values()) {
      String value = query.get(field.key);
      if (!value.isEmpty()) {
        words.add(field.key + "=" + value);
      }
    }
    return FaultCommand.run(injections.get(), words.toArray(String[]::new)) instanceof List<?> rows
            && rows.size() == 1
            && rows.getFirst() instanceof FaultCommand.Row row
        ? "rule %d of %s: %s".formatted(row.number(), row.device(), row.rule())
        : "added";
  }

  private String clear(Query query) {
    List<String> words = new ArrayList<>(List.of("clear", "--"));
    for (String word : List.of(query.get("device"), query.get("number"))) {
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    Object gone = FaultCommand.run(injections.get(), words.toArray(String[]::new));
    return gone instanceof List<?> rows ? rows.size() + " removed" : "removed";
  }
}
