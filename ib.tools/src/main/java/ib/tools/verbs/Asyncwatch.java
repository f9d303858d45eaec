package ib.tools.verbs;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import ib.tools.output.Usage;
import ib.tools.run.Watching;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * {@code ibv_asyncwatch}: prints the unaffiliated events of a device until it is interrupted, or
 * until {@code -n} events or {@code -t} seconds. It is a client of the core, and never delays the
 * removal of its device.
 */
public final class Asyncwatch {
  private static final String NAME = "ibv_asyncwatch";

  private Asyncwatch() {}

  /** A message to the waiting thread: an event, or null for the removal of the device. */
  private record Arrival(@Nullable EventRow event) {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param out events are printed here when they arrive
   * @param args the original's options; {@code -n} events and {@code -t} seconds after which to
   *     end, {@code -q} to print nothing and return the events instead, {@code -j} to return them
   *     as JSON
   * @return the usage for {@code -h}, the events for {@code -q} and {@code -j}, else null
   * @throws CommandException when an option is wrong, or the device does not exist or is removed
   */
  public static @Nullable Object run(IbCore core, PrintStream out, String... args) {
    Getopt getopt =
        new Getopt(
            NAME,
            Usage.of(NAME),
            "d,ib-dev=",
            "h,help",
            "n,count=",
            "t,seconds=",
            "q,quiet",
            "j,json");
    Parsed line = getopt.parse(args).atMost(0);
    if (line.has("help")) {
      return Usage.of(NAME);
    }
    long count = line.number("count", Long.MAX_VALUE, 1, Long.MAX_VALUE);
    long seconds = line.number("seconds", Long.MAX_VALUE, 1, Long.MAX_VALUE);
    boolean quiet = line.has("quiet") || line.has("json");
    String name = deviceName(core, line.last("ib-dev"));
    List<EventRow> events = watch(core, name, quiet ? null : out, count, seconds);
    if (!quiet) {
      return null;
    }
    return line.has("json") ? Listing.ofJson(events, false) : Listing.ofLines(events);
  }

  private static String deviceName(IbCore core, @Nullable String wanted) {
    List<String> names = core.devices().stream().map(DeviceInfo::name).toList();
    if (names.isEmpty() || (wanted != null && !names.contains(wanted))) {
      throw notFound(wanted == null ? "" : wanted);
    }
    return wanted == null ? names.getFirst() : wanted;
  }

  private static CommandException notFound(String name) {
    return new CommandException("IB device " + name + " not found");
  }

  private static List<EventRow> watch(
      IbCore core, String name, @Nullable PrintStream out, long count, long seconds) {
    BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    Watcher watcher = new Watcher(name, arrivals);
    ClientRegistration registration = core.registerClient(watcher);
    try {
      if (!watcher.added) {
        throw notFound(name);
      }
      if (out != null) {
        out.println(name + ": async event FD -1"); // the core has no file descriptor of events
      }
      return collect(name, arrivals, out, count, seconds);
    } finally {
      registration.unregister();
    }
  }

  private static List<EventRow> collect(
      String name,
      BlockingQueue<Arrival> arrivals,
      @Nullable PrintStream out,
      long count,
      long seconds) {
    List<EventRow> events = new ArrayList<>();
    Watching.take(
        arrivals,
        count,
        seconds,
        arrival -> {
          EventRow event = arrival.event;
          if (event == null) {
            throw new CommandException("IB device " + name + " was removed");
          }
          events.add(event);
          if (out != null) {
            out.println(event.text());
          }
        });
    return events;
  }

  /**
   * The client: registers an event handler with the device, and unregisters it when the device is
   * removed.
   */
  private static final class Watcher implements IbClient {
    private final String device;
    private final BlockingQueue<Arrival> arrivals;
    private volatile boolean added;

    Watcher(String device, BlockingQueue<Arrival> arrivals) {
      this.device = device;
      this.arrivals = arrivals;
    }

    @Override
    public String name() {
      return NAME + "@" + Integer.toHexString(System.identityHashCode(this));
    }

    @Override
    public boolean supports(DeviceInfo info) {
      return !added && info.name().equals(device);
    }

    @Override
    public Object add(IbDevice handle) {
      IbEventHandler handler =
          new IbEventHandler(handle) {
            @Override
            public void handle(IbEvent event) {
              arrivals.add(new Arrival(EventRow.of(event)));
            }
          };
      handle.registerEventHandler(handler);
      added = true;
      return handler;
    }

    @Override
    public void remove(IbDevice handle, @Nullable Object clientData) {
      if (clientData instanceof IbEventHandler handler) {
        handle.unregisterEventHandler(handler);
      }
      arrivals.add(new Arrival(null));
    }
  }
}
