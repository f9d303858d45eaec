package ib.tools.fault;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code ib:fault add|list|clear|seed}: disturbs packets of a device on purpose, through the
 * drivers' {@link FaultInjection} services.
 */
public final class FaultCommand {
  private static final String USAGE =
      """
      Usage: ib:fault add DEV KIND [KEY=VALUE]...      adds a rule
             ib:fault list [-j] [DEV]                  the rules, and how many packets each has hit
             ib:fault clear [DEV [NUMBER]...]          takes all rules away, or those
             ib:fault seed DEV NUMBER                  starts chance anew
      KIND:  loss, duplicate, reorder, delay, corrupt, silent, partition
      KEY:   rate=0..1 or '5%', dir=out|in|both, port, opcode, qp, psn=FIRST[-LAST], peer=LID,
             skip, count, delay=TIME, jitter=TIME (ns, us, ms, s), packets=1..256\
      """;

  private FaultCommand() {}

  /**
   * One row of the table.
   *
   * @param device the device
   * @param number the rule's number
   * @param rule the rule
   * @param fitting packets that the rule matches so far
   * @param hit packets that the rule has disturbed so far
   */
  public record Row(String device, int number, String rule, long fitting, long hit) {}

  /**
   * Runs the command.
   *
   * @param injections the fault services of all devices
   * @param args a verb, options and operands
   * @return the affected rules, or the usage
   * @throws CommandException when there is no such device, rule or number
   */
  public static Object run(Collection<FaultInjection> injections, String... args) {
    Parsed line = new Getopt("ib:fault", USAGE, "j,json", "h,help").parse(args);
    if (line.has("help")) {
      return USAGE;
    }
    String verb = line.operands().isEmpty() ? "" : line.operands().getFirst();
    List<String> rest = line.operands().stream().skip(1).toList();
    try {
      return switch (verb) {
        case "add" -> add(injections, line, rest);
        case "list" -> list(injections, line, rest);
        case "clear" -> clear(injections, line, rest);
        case "seed" -> seed(injections, line, rest);
        default -> throw refusal(verb.isEmpty() ? "what to do?" : "cannot '" + verb + "'");
      };
    } catch (IbException e) {
      throw new CommandException("ib:fault: cannot " + verb, e);
    }
  }

  private static Listing<Row> add(
      Collection<FaultInjection> injections, Parsed line, List<String> words) {
    if (words.size() < 2) {
      throw refusal("add needs a device and a kind");
    }
    FaultInjection device = device(injections, words.getFirst());
    FaultRule rule;
    try {
      rule = FaultRule.parse(String.join(" ", words.subList(1, words.size())));
    } catch (IllegalArgumentException e) {
      throw refusal(String.valueOf(e.getMessage()));
    }
    int id = device.add(rule);
    return listing(line, rows(device).stream().filter(r -> r.number == id).toList());
  }

  private static Listing<Row> list(
      Collection<FaultInjection> injections, Parsed line, List<String> words) {
    if (words.size() > 1) {
      throw refusal("one operand too many: '" + words.get(1) + "'");
    }
    if (words.size() == 1) {
      return listing(line, rows(device(injections, words.getFirst())));
    }
    return listing(line, all(injections));
  }

  private static List<Row> all(Collection<FaultInjection> injections) {
    return injections.stream()
        .sorted(Comparator.comparing(FaultInjection::device))
        .flatMap(i -> rows(i).stream())
        .toList();
  }

  private static Listing<Row> clear(
      Collection<FaultInjection> injections, Parsed line, List<String> words) {
    if (words.isEmpty()) {
      List<Row> gone = all(injections);
      injections.forEach(FaultInjection::clear);
      return listing(line, gone);
    }
    FaultInjection device = device(injections, words.getFirst());
    List<Row> before = rows(device);
    if (words.size() == 1) {
      device.clear();
      return listing(line, before);
    }
    List<Row> gone = new ArrayList<>();
    for (String word : words.subList(1, words.size())) {
      Row row =
          before.stream()
              .filter(r -> word.equals(r.number + ""))
              .findFirst()
              .orElseThrow(
                  () ->
                      new CommandException(
                          "ib:fault: " + device.device() + " has no rule " + word));
      device.remove(row.number);
      gone.add(row);
    }
    return listing(line, gone);
  }

  private static Listing<Row> seed(
      Collection<FaultInjection> injections, Parsed line, List<String> words) {
    if (words.size() != 2) {
      throw refusal("seed needs a device and a number");
    }
    FaultInjection device = device(injections, words.getFirst());
    try {
      device.seed(Long.parseLong(words.get(1)));
    } catch (NumberFormatException e) {
      throw new CommandException("ib:fault: '" + words.get(1) + "' is not a number\n" + USAGE, e);
    }
    return listing(line, rows(device));
  }

  private static CommandException refusal(String why) {
    return new CommandException("ib:fault: " + why + "\n" + USAGE);
  }

  private static FaultInjection device(Collection<FaultInjection> injections, String name) {
    return injections.stream()
        .filter(i -> i.device().equals(name))
        .findFirst()
        .orElseThrow(() -> new CommandException("ib:fault: " + unknown(injections, name)));
  }

  private static String unknown(Collection<FaultInjection> injections, String name) {
    String names =
        injections.stream().map(FaultInjection::device).sorted().collect(Collectors.joining(", "));
    return name
        + " offers no faults; "
        + (names.isEmpty() ? "no device does" : "there are " + names);
  }

  private static List<Row> rows(FaultInjection device) {
    return device.list().stream()
        .map(a -> new Row(device.device(), a.id(), a.rule().toString(), a.fitting(), a.hit()))
        .toList();
  }

  private static Listing<Row> listing(Parsed line, List<Row> rows) {
    return line.has("json")
        ? Listing.ofJson(rows, false)
        : new Listing<>(rows, FaultCommand::table);
  }

  private static String table(List<Row> rows) {
    if (rows.isEmpty()) {
      return "no faults";
    }
    Columns table = new Columns("DEVICE", "NUMBER", "RULE", "FITTING", "HIT");
    rows.forEach(r -> table.row(r.device(), r.number(), r.rule(), r.fitting(), r.hit()));
    return table.text();
  }
}
