package ib.tools.rdma;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.tools.getopt.CommandException;
import ib.tools.output.Json;
import ib.tools.output.Usage;
import ib.tools.run.Watching;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * {@code rdma monitor}: prints devices that come, go and change their names, as a client of the
 * core sees them, until it is interrupted; the extensions {@code count N} and {@code seconds S} end
 * it earlier. With {@code -j} each line is a JSON object.
 */
final class Monitor {
  private static final String NAME = "rdma monitor";

  private Monitor() {}

  static @Nullable Object run(View view, PrintStream out, Words words) {
    if (words.matches("help")) {
      return Usage.of("rdma_monitor");
    }
    long count = Long.MAX_VALUE;
    long seconds = Long.MAX_VALUE;
    while (!words.isEmpty()) {
      if (words.matches("count")) {
        count = number(words);
      } else if (words.matches("seconds")) {
        seconds = number(words);
      } else {
        words.end(); // refuses it
      }
    }
    watch(view, out, count, seconds);
    return null;
  }

  private static long number(Words words) {
    String name = words.next();
    String value = words.isEmpty() ? "" : words.next();
    if (!value.matches("[1-9][0-9]{0,8}")) {
      throw new CommandException(NAME + ": " + name + " takes a number from 1 to 999999999");
    }
    return Long.parseLong(value);
  }

  private static void watch(View view, PrintStream out, long count, long seconds) {
    BlockingQueue<Line> arrivals = new LinkedBlockingQueue<>();
    IbCore core = view.core();
    ClientRegistration registration = core.registerClient(new Watcher(core.devices(), arrivals));
    try {
      Watching.take(
          arrivals,
          count,
          seconds,
          line -> out.println(view.json() ? Json.write(line, view.pretty()) : line.text()));
    } finally {
      registration.unregister();
    }
  }

  /** The client: the core also adds it to the devices that are there already. */
  private static final class Watcher implements IbClient {
    private final Set<Integer> before; // indexes of the devices that are not new
    private final BlockingQueue<Line> arrivals;

    Watcher(List<DeviceInfo> before, BlockingQueue<Line> arrivals) {
      this.before = ConcurrentHashMap.newKeySet();
      before.forEach(d -> this.before.add(d.index()));
      this.arrivals = arrivals;
    }

    @Override
    public String name() {
      return NAME + "@" + Integer.toHexString(System.identityHashCode(this));
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      if (!before.remove(device.info().index())) {
        arrived("REGISTER", device.info());
      }
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      arrived("UNREGISTER", device.info());
    }

    @Override
    public void renamed(IbDevice device, @Nullable Object clientData, String oldName) {
      arrived("RENAME", device.info());
    }

    private void arrived(String event, DeviceInfo device) {
      arrivals.add(
          new Line()
              .put("event_type", "[" + event + "]", "[" + event + "]\t")
              .put("rdma_index", device.index(), "dev " + device.index())
              .put("rdma_dev", device.name(), " " + device.name()));
    }
  }
}
