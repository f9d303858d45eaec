package ib.tools.perftest;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.perftest.Tool.Verb;
import ib.tools.run.DeviceUse;
import ib.tools.run.Listener;
import ib.tools.run.WarmUp;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/**
 * One end of one of perftest's programs, with the steps that its peer expects. The end uses its
 * caller's thread only; where both ends are here, the server's has a thread of its own ({@link
 * BothEnds}).
 */
public final class Perftest {
  static final String LINE = "-".repeat(87);

  /** The options. */
  final PerftestOptions options;

  private final String device;
  private final PrintStream out;

  /** Where a server prints its address. */
  final PrintStream err;

  /** Released by completion events. */
  final Semaphore wakeUp;

  private final Runnable stop;

  Perftest(
      PerftestOptions options,
      String device,
      PrintStream out,
      PrintStream err,
      Semaphore wakeUp,
      Runnable stop) {
    this.options = options;
    this.device = device;
    this.out = out;
    this.err = err;
    this.wakeUp = wakeUp;
    this.stop = stop;
  }

  /**
   * Runs the command.
   *
   * @param here the midlayer
   * @param warmUp runs first, unless {@code --no-warmup} is given
   * @param tool the program
   * @param out the table is printed here, line by line
   * @param err a server prints its address and refused connections here
   * @param args the original's options and operand; a second device, as operand or as second {@code
   *     -d}, runs both ends here, and the client's table is printed
   * @return the table's last line
   * @throws CommandException when an option is wrong, a step fails, the device is removed or the
   *     thread is interrupted
   */
  public static Printable run(
      Midlayer here, WarmUp warmUp, Tool tool, PrintStream out, PrintStream err, String... args) {
    IbCore core = here.core();
    List<String> names = core.devices().stream().map(DeviceInfo::name).toList();
    List<PerftestOptions> ends = PerftestOptions.ends(tool, names::contains, args);
    PerftestOptions options = ends.getFirst();
    String device = device(names, options);
    Semaphore wakeUp = new Semaphore(0);
    ByAddress byAddress = options.cm().exchange() ? here.connected(tool.program()) : null;
    if (byAddress != null && ends.size() > 1) {
      throw new CommandException(
          tool.program() + ": -R and -z need an address: run each end for itself");
    }
    try (DeviceUse use = DeviceUse.open(core, tool.program(), Set.of(device), wakeUp)) {
      Runnable stop = () -> use.checkGoingOn(tool.program());
      if (options.warmUp()) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        PerftestOptions untimed = options.untimed();
        warmUp.run(
            List.of(device),
            stop,
            limit -> new Perftest(untimed, device, nowhere, nowhere, wakeUp, limit).loop(use));
      }
      Perftest run = new Perftest(options, device, out, err, wakeUp, stop);
      if (ends.size() > 1) {
        BothEnds.run(core, ends.getLast(), socket -> run.over(use, socket, true));
      } else if (byAddress == null) {
        run.run(use, run::talk);
      }
    }
    if (byAddress != null) { // the devices are its own
      byAddress.run(new Perftest(options, device, out, err, wakeUp, () -> {}));
    }
    return () -> LINE;
  }

  private static String device(List<String> names, PerftestOptions options) {
    String device = options.device();
    if (device == null && names.isEmpty()) {
      throw new CommandException(" Did not detect devices");
    }
    return device == null ? names.getFirst() : device;
  }

  /** Runs one end of a test whose other end is in this JVM. */
  void over(DeviceUse use, Socket socket, boolean client) {
    run(use, side -> new Talk(socket, client, stop));
  }

  /** Runs with a queue pair that is connected to itself. */
  void loop(DeviceUse use) {
    try (Side side = side(use)) {
      side.remotes.addAll(side.keys);
      side.connect(side.mtu());
      Runs runs = new Runs(options, side, sizes(side.mtu()).getLast(), stop);
      switch (options.tool()) {
        case SEND_BW, SEND_LAT -> {
          runs.postReceives();
          if (options.tool().bandwidth() && options.type() == QpType.RC) {
            runs.both();
          } else {
            runs.sendAndReceive(); // one at a time, because a message that finds no receive is lost
          }
        }
        case WRITE_BW, READ_BW, ATOMIC_BW -> runs.stream();
        case WRITE_LAT -> runs.writeAndWatch();
        case READ_LAT, ATOMIC_LAT -> runs.oneByOne();
      }
    }
  }

  private Side side(DeviceUse use) {
    Side side =
        new Side(
            new Side.Place(use.device(device), options.ibPort(), options.gidIndex()),
            options,
            wakeUp);
    try {
      side.open();
      return side;
    } catch (CommandException e) {
      side.close();
      throw e;
    }
  }

  private void run(DeviceUse use, Function<Side, Talk> connection) {
    begin();
    try (Side side = side(use);
        Talk talk = connection.apply(side)) {
      meet(side, talk, () -> {});
    }
  }

  /**
   * {@return the same run on the device at which it has met its peer}
   *
   * @param met name of the device
   * @param goOn throws to end the run
   */
  Perftest at(String met, Runnable goOn) {
    return new Perftest(options, met, out, err, wakeUp, goOn);
  }

  /** Prints what comes first. */
  void begin() {
    if (options.notice() != null) {
      out.println(LINE);
      out.println(options.notice());
    }
    if (options.server()) {
      String stars = "*".repeat(36);
      out.println("\n" + stars + "\n* Waiting for client to connect... *\n" + stars);
    }
  }

  /**
   * Runs the test with the peer.
   *
   * @param pairs connects the queue pairs where the exchange of keys does not
   */
  void meet(Side side, Talk talk, Runnable pairs) {
    Mtu mtu = talk.agree(side.mtu());
    pairs.run();
    List<Integer> sizes = sizes(mtu);
    Headline.print(out, options, device, side, mtu);
    connect(side, talk, mtu);
    talk.running();
    if (passive()) {
      serve(side, talk);
      return;
    }
    head();
    for (int size : sizes) {
      measure(side, talk, new Runs(options, side, size, stop), size == sizes.getLast());
    }
  }

  /**
   * Connects to the server, or waits for a client. The peers of a RoCE device are other hosts, so
   * its server listens as the original does.
   */
  private Talk talk(Side side) {
    String host = options.host();
    String program = options.tool().program();
    return host != null
        ? new Talk(host, options.port(), stop)
        : new Talk(
            new Listener(program, options.bind(), side.ethernet(), options.port(), err), stop);
  }

  /**
   * {@return whether this end is a server that only waits} Writes without immediate data, reads and
   * atomics need no action of the server's program.
   */
  private boolean passive() {
    Tool tool = options.tool();
    boolean aside = !options.receives() && tool != Tool.WRITE_LAT;
    return options.server() && aside && !options.duplex();
  }

  private List<Integer> sizes(Mtu mtu) {
    if (options.type() != QpType.UD || options.sizeMax() <= mtu.bytes()) {
      return options.sizes();
    }
    if (options.sizeGiven()) {
      throw new CommandException(" Max message size in UD cannot be greater than MTU ");
    }
    out.println(" Max msg size in UD is MTU " + mtu.bytes() + "\n Changing to this MTU");
    List<Integer> fitting = options.sizes().stream().filter(s -> s <= mtu.bytes()).toList();
    return fitting.isEmpty() ? List.of(mtu.bytes()) : fitting;
  }

  /**
   * Exchanges the keys, connects, waits until both ends are ready, and exchanges the keys again.
   */
  private void connect(Side side, Talk talk, Mtu mtu) {
    Tool tool = options.tool();
    side.keys.forEach(key -> side.remotes.add(talk.keys(key)));
    if (!options.cm().queuePairs()) {
      side.connect(mtu);
    }
    if (!tool.bandwidth() || tool == Tool.SEND_BW) {
      talk.keys(side.keys.getFirst());
    }
    side.keys.forEach(key -> out.println(key.lines("local", tool.verb)));
    for (Key key : side.keys) {
      out.println(talk.keys(key).lines("remote", tool.verb));
    }
    if (tool.verb != Verb.SEND) {
      talk.keys(side.keys.getFirst());
    }
  }

  private void head() {
    out.println(LINE);
    out.println(
        options.tool().bandwidth()
            ? Bandwidth.head(options.gbits())
            : Latency.head(options.seconds() > 0));
  }

  private void serve(Side side, Talk talk) {
    Key key = side.keys.getFirst();
    if (options.tool().bandwidth()) {
      head();
      talk.keys(key); // barrier: the client has ended its run
      out.println(talk.reports(new Bandwidth(0, 0, 0, 0, 0)).line(options.gbits()));
    }
    talk.done(key);
  }

  private void measure(Side side, Talk talk, Runs runs, boolean last) {
    Key key = side.keys.getFirst();
    switch (options.tool()) {
      case SEND_BW, WRITE_BW, READ_BW, ATOMIC_BW -> {
        if (options.receives()) {
          sends(key, talk, runs);
        } else {
          others(key, talk, runs, last);
        }
      }
      case SEND_LAT -> {
        runs.postReceives();
        talk.keys(key);
        out.println(runs.sendAndReceive());
      }
      case WRITE_LAT -> out.println(runs.writeAndWatch());
      case READ_LAT, ATOMIC_LAT -> out.println(runs.oneByOne());
    }
    if (last && options.tool() != Tool.WRITE_LAT) {
      talk.done(key);
    }
  }

  private void sends(Key key, Talk talk, Runs runs) {
    if (options.server() || options.duplex()) {
      runs.postReceives();
    }
    talk.keys(key);
    if (options.forever()) {
      runs.forever(row -> out.println(row.line(options.gbits())));
    }
    if (options.duplex()) {
      Bandwidth mine = runs.both();
      boolean timed = options.seconds() > 0; // a timed run counts both directions at each end
      out.println((timed ? mine : mine.with(talk.reports(mine))).line(options.gbits()));
    } else {
      out.println((options.server() ? runs.drain() : runs.stream()).line(options.gbits()));
    }
    if (options.sizes().size() > 1) {
      talk.keys(key);
    }
  }

  private void others(Key key, Talk talk, Runs runs, boolean last) {
    if (options.forever()) {
      runs.forever(row -> out.println(row.line(options.gbits())));
    }
    if (options.duplex()) {
      talk.keys(key);
    }
    Bandwidth mine = runs.stream();
    if (options.duplex()) {
      if (options.sizes().size() > 1) {
        talk.keys(key);
      }
      out.println(mine.with(talk.reports(mine)).line(options.gbits()));
      return;
    }
    out.println(mine.line(options.gbits()));
    if (last) {
      talk.keys(key);
      talk.reports(mine);
    }
  }
}
