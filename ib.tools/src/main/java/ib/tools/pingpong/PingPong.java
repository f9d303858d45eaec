package ib.tools.pingpong;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.tools.getopt.CommandException;
import ib.tools.run.DeviceUse;
import ib.tools.run.Listener;
import ib.tools.run.WarmUp;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong} or {@code
 * ibv_srq_pingpong}, on its caller's thread.
 */
public final class PingPong {
  private final Settings settings;
  private final PrintStream out;
  private final PrintStream err;
  private final Semaphore wakeUp;
  private final Runnable stop;

  private PingPong(
      Settings settings, PrintStream out, PrintStream err, Semaphore wakeUp, Runnable stop) {
    this.settings = settings;
    this.out = out;
    this.err = err;
    this.wakeUp = wakeUp;
    this.stop = stop;
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param warmUp runs first, unless {@code --no-warmup} is given
   * @param kind the program
   * @param out the addresses are printed here, before the first message
   * @param err a server prints its address and refused connections here
   * @param args the original's options and operand; a second device, as operand or as second {@code
   *     -d}, runs both ends here; {@code --json} prints JSON
   * @return the figures
   * @throws CommandException when an option is wrong, a step fails, the data are wrong, a device is
   *     removed or the thread is interrupted
   */
  public static Figures run(
      IbCore core, WarmUp warmUp, Kind kind, PrintStream out, PrintStream err, String... args) {
    List<String> names = core.devices().stream().map(DeviceInfo::name).toList();
    Settings settings = Settings.parse(kind, names::contains, args);
    List<String> devices = settings.devices();
    if (devices.isEmpty()) {
      if (names.isEmpty()) {
        throw new CommandException("No IB devices found");
      }
      devices = List.of(names.getFirst());
    }
    List<String> ends = devices;
    Semaphore wakeUp = new Semaphore(0);
    try (DeviceUse use =
        DeviceUse.open(core, settings.program(), new LinkedHashSet<>(ends), wakeUp)) {
      Runnable stop = () -> use.checkGoingOn(settings.program());
      if (settings.modes().warmUp()) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        Settings untimed = settings.untimed();
        warmUp.run(
            ends,
            stop,
            limit -> new PingPong(untimed, nowhere, nowhere, wakeUp, limit).both(use, ends));
      }
      PingPong run = new PingPong(settings, out, err, wakeUp, stop);
      return settings.bothEnds() ? run.both(use, ends) : run.one(use, ends.getFirst());
    }
  }

  private Figures both(DeviceUse use, List<String> devices) {
    try (Endpoint client = new Endpoint(use.device(devices.getFirst()), settings, wakeUp);
        Endpoint server = new Endpoint(use.device(devices.getLast()), settings, wakeUp)) {
      Player serving = new Player(client, settings);
      Player answering = new Player(server, settings);
      printLocal(client.locals);
      server.connect(client.locals);
      client.connect(server.locals);
      printRemote(server.locals);
      serving.connected();
      answering.connected();
      serving.serve();
      long ns = rally(List.of(serving, answering));
      Figures figures = figures(client.locals, server.locals, ns, serving);
      check(figures, server.payload, true);
      check(figures, client.payload, true);
      return figures;
    }
  }

  private Figures one(DeviceUse use, String device) {
    String host = settings.host();
    try (Endpoint end = new Endpoint(use.device(device), settings, wakeUp)) {
      Player player = new Player(end, settings);
      printLocal(end.locals);
      List<Address> remotes =
          host == null
              ? serve(end)
              : Exchange.client(settings.kind(), host, settings.port(), end.locals, stop);
      printRemote(remotes);
      if (host != null) {
        end.connect(remotes);
      }
      player.connected();
      if (host != null) {
        player.serve();
      }
      long ns = rally(List.of(player));
      Figures figures = figures(end.locals, remotes, ns, player);
      check(
          figures,
          end.payload,
          host != null); // the original's client writes only the first byte of each page
      return figures;
    }
  }

  private List<Address> serve(Endpoint end) {
    return Exchange.server(
        settings.kind(),
        new Listener(settings.program(), settings.bind(), end.ethernet(), settings.port(), err),
        end.locals,
        remotes -> {
          try {
            end.connect(remotes);
          } catch (CommandException e) {
            throw new CommandException(
                e.getAsInt(), e.getMessage() + "\nCouldn't connect to remote QP");
          }
        },
        stop);
  }

  private long rally(List<Player> players) {
    return new Rally(players, settings, wakeUp, stop).run();
  }

  private Figures figures(List<Address> locals, List<Address> remotes, long ns, Player player) {
    long bytes = (long) settings.size() * settings.iters() * 2;
    return new Figures(
        locals,
        remotes.subList(0, locals.size()),
        bytes,
        settings.iters(),
        Math.max(1, ns) / 1e9,
        player.ticks.text(),
        settings.modes().json());
  }

  private void check(Figures figures, Payload payload, boolean whole) {
    List<Integer> wrong = settings.modes().check() ? payload.wrongPages(whole) : List.of();
    if (!wrong.isEmpty()) {
      throw new CommandException(
          wrong.stream()
              .map(page -> "invalid data in page " + page)
              .collect(Collectors.joining("\n", figures.text() + "\n", "")));
    }
  }

  private void printLocal(List<Address> locals) {
    locals.forEach(local -> print(local.line("local", settings.kind() == Kind.UD ? ":" : ",")));
  }

  private void printRemote(List<Address> remotes) {
    remotes.stream()
        .limit(settings.queuePairs())
        .forEach(remote -> print(remote.line("remote", ",")));
  }

  private void print(@Nullable String text) {
    if (!settings.modes().json()) {
      out.println(text);
    }
  }
}
