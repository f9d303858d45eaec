package ib.tools.capture;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code ib:capture start|stop|status}: the captures that the shells of this runtime have started.
 * Any thread may call.
 */
public final class Captures implements AutoCloseable {
  private static final String USAGE =
      """
      Usage: ib:capture start [-f FILTER] [--force] DEV FILE
                                                           to a new file, as pcapng, that only
                                                           its user can read; --force overwrites
             ib:capture start [-f FILTER] DEV -t PORT      to readers on this host, of every user:
                                                           wireshark -k -i TCP@127.0.0.1:PORT
             ib:capture stop [DEV]                         exit status 1 when one has failed
             ib:capture status [-j]
      FILTER: qp=NUMBER, opcode=NUMBER, port=NUMBER, joined by commas; all must hold\
      """;

  /** Begins the state of a capture whose file could not be written. */
  static final String FAILED = "failed: ";

  private final List<Target> targets = new ArrayList<>(); // guarded by this

  /** Creates the table, without captures. */
  public Captures() {}

  /**
   * One row of the table.
   *
   * @param device the device
   * @param target file or port that the packets go to
   * @param state state of the capture in a word or two
   * @param packets packets written so far
   * @param dropped packets left out because the reader was too slow
   */
  public record Row(String device, String target, String state, long packets, long dropped) {}

  /**
   * Runs the command.
   *
   * @param captures the capture services of all devices
   * @param args a verb, options and operands
   * @return the affected captures
   * @throws CommandException when there is no such device or the target cannot be opened
   */
  public Listing<Row> run(Collection<PacketCapture> captures, String... args) {
    Parsed line =
        new Getopt("ib:capture", USAGE, "f,filter=", "t,tcp=", ",force", "j,json")
            .parse(args)
            .atMost(3);
    String verb = line.operands().isEmpty() ? "" : line.operands().getFirst();
    List<String> rest = line.operands().stream().skip(1).toList();
    try {
      return switch (verb) {
        case "start" -> start(captures, line, rest);
        case "stop" -> stop(line, rest);
        case "status" -> listing(line, rows(""));
        default -> throw refusal(verb.isEmpty() ? "what to do?" : "cannot '" + verb + "'");
      };
    } catch (IbException e) {
      throw new CommandException("ib:capture: cannot " + verb, e);
    }
  }

  private static CommandException refusal(String why) {
    return new CommandException("ib:capture: " + why + "\n" + USAGE);
  }

  private Listing<Row> start(
      Collection<PacketCapture> captures, Parsed line, List<String> operands) {
    String port = line.last("tcp");
    if (operands.size() != (port == null ? 2 : 1)) {
      throw refusal("start needs a device, and a file or a port (-t)");
    }
    String device = operands.getFirst();
    PacketCapture capture =
        captures.stream()
            .filter(c -> c.device().equals(device))
            .findFirst()
            .orElseThrow(() -> new CommandException(noCapture(device, captures)));
    Filter filter = filter(line.last("filter"));
    synchronized (this) {
      if (targets.stream().anyMatch(t -> t.device().equals(device))) {
        throw new CommandException("ib:capture: " + device + " is being captured; stop it first");
      }
      Target target =
          port == null
              ? ToFile.open(capture, Path.of(operands.get(1)), line.has("force"), filter)
              : ToPort.open(capture, line.number("tcp", 0, 0, 65535), filter);
      targets.add(target);
    }
    return listing(line, rows(device));
  }

  private static String noCapture(String device, Collection<PacketCapture> captures) {
    String names =
        captures.stream().map(PacketCapture::device).sorted().collect(Collectors.joining(", "));
    return "ib:capture: "
        + device
        + " offers no capture; "
        + (names.isEmpty() ? "no device does" : "there are " + names);
  }

  private synchronized Listing<Row> stop(Parsed line, List<String> operands) {
    String device = operands.isEmpty() ? "" : operands.getFirst();
    List<Target> ending =
        targets.stream().filter(t -> device.isEmpty() || t.device().equals(device)).toList();
    if (ending.isEmpty()) {
      throw new CommandException("ib:capture: nothing to stop");
    }
    ending.forEach(Target::close);
    List<Row> last = ending.stream().map(Captures::row).toList();
    targets.removeAll(ending);
    boolean failed = last.stream().anyMatch(r -> r.state.startsWith(FAILED));
    return listing(line, last).withStatus(failed ? 1 : 0);
  }

  private synchronized List<Row> rows(String device) {
    return targets.stream()
        .filter(t -> device.isEmpty() || t.device().equals(device))
        .map(Captures::row)
        .toList();
  }

  private static Row row(Target t) {
    return new Row(t.device(), t.where(), t.state(), t.written(), t.dropped());
  }

  private static Listing<Row> listing(Parsed line, List<Row> rows) {
    return line.has("json") ? Listing.ofJson(rows, false) : new Listing<>(rows, Captures::table);
  }

  private static String table(List<Row> rows) {
    Columns table = new Columns("DEVICE", "TO", "STATE", "PACKETS", "DROPPED");
    rows.forEach(r -> table.row(r.device(), r.target(), r.state(), r.packets(), r.dropped()));
    return table.text();
  }

  static Filter filter(@Nullable String text) {
    int port = 0;
    int qpn = -1;
    int opcode = -1;
    for (String condition : text == null || text.isEmpty() ? new String[0] : text.split(",", -1)) {
      String[] sides = condition.split("=", 2);
      int value = sides.length == 2 ? number(sides[1]) : -1;
      if (value < 0) {
        throw new CommandException("ib:capture: wrong filter '" + condition + "'\n" + USAGE);
      }
      switch (sides[0].toLowerCase(Locale.ROOT)) {
        case "qp", "qpn" -> qpn = value;
        case "opcode" -> opcode = value;
        case "port" -> port = value;
        default ->
            throw new CommandException("ib:capture: wrong filter '" + condition + "'\n" + USAGE);
      }
    }
    return new Filter(port, qpn, opcode);
  }

  private static int number(String text) {
    try {
      return Integer.decode(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Stops all captures. */
  @Override
  public synchronized void close() {
    targets.forEach(Target::close);
    targets.clear();
  }
}
