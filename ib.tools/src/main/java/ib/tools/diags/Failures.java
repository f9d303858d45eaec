package ib.tools.diags;

import ib.cm.CmClient;
import ib.cm.CmFailure;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.JsonView;
import ib.tools.output.Listing;
import ib.tools.output.Printable;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** {@code ib:why -c}: why connections were not made or have failed, the latest last. */
public final class Failures {
  private static final Set<String> OPTIONS = Set.of("-c", "--connection", "-cj", "-jc");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

  private Failures() {}

  /** {@return whether a command line asks for connections} */
  public static boolean asked(String... args) {
    return List.of(args).stream().anyMatch(OPTIONS::contains);
  }

  /**
   * Runs the command.
   *
   * @param managers the connection managers
   * @param clock the wall clock, for the time zone
   * @param args {@code -c}; a part of a peer's address, of a service ID or of a program's name, or
   *     all are listed; and {@code -j}
   * @return the failures
   * @throws CommandException when there is none
   */
  public static Listing<?> run(Collection<CmClient> managers, Clock clock, String... args) {
    Getopt getopt = new Getopt("ib:why", Why.USAGE, "c,connection", "j,json");
    Parsed line = getopt.parse(args).atMost(1);
    String part = line.operands().isEmpty() ? "" : line.operands().getFirst();
    List<Failure> found =
        managers.stream()
            .flatMap(m -> m.failures().stream())
            .filter(f -> f.what().contains(part) || f.owner().contains(part))
            .map(f -> new Failure(f, clock.getZone()))
            .toList();
    if (found.isEmpty()) {
      String which = part.isEmpty() ? "" : " of " + part;
      throw new CommandException("ib:why: no connection" + which + " has failed lately");
    }
    return line.has("json") ? Listing.ofJson(found, false) : Listing.ofLines(found);
  }

  /** One as text and as JSON. */
  private record Failure(CmFailure of, ZoneId zone) implements Printable, JsonView {
    private String time() {
      return TIME.format(of.time().atZone(zone));
    }

    @Override
    public String text() {
      String at = of.device().isEmpty() ? "" : " on " + of.device();
      String text = time() + " " + of.what() + at + " by " + of.owner() + "\n  " + of.end();
      return text
          + "\n  likely: "
          + of.why()
          + (of.hint().isEmpty() ? "" : "\n  try: " + of.hint());
    }

    @Override
    public Map<String, Object> json() {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("time", time());
      members.put("what", of.what());
      members.put("ifname", of.device());
      members.put("comm", of.owner());
      members.put("end", of.end());
      members.put("likely", of.why());
      members.put("try", of.hint());
      return members;
    }
  }
}
