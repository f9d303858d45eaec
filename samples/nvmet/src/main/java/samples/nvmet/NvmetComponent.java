package samples.nvmet;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.IbCore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * The target in OSGi, and its commands {@code nvmet:serve}, {@code nvmet:show}, {@code nvmet:end};
 * and a host in Java, {@code nvmet:exercise}.
 */
@Component(
    name = "samples.nvmet",
    service = NvmetComponent.class,
    immediate = true, // or the shell would make one for each command
    property = {
      "osgi.command.scope=nvmet",
      "osgi.command.function=serve",
      "osgi.command.function=show",
      "osgi.command.function=end",
      "osgi.command.function=exercise"
    })
public final class NvmetComponent {
  private static final int PORT = 4420;

  private record Served(Target target, Store store) {}

  private final IbCore core;
  private final CmClient connections;
  private final Map<String, Served> served = new TreeMap<>(); // guarded by this

  /** The framework has both. */
  @Activate
  public NvmetComponent(@Reference IbCore core, @Reference CmClient connections) {
    this.core = core;
    this.connections = connections;
  }

  /**
   * Serves a namespace in memory at port 4420 of all devices.
   *
   * @param nqn name of the subsystem
   * @param mib its size in MiB
   * @return what the shell prints
   * @throws IOException never
   */
  public String serve(String nqn, long mib) throws IOException {
    return serve(nqn, mib, "");
  }

  /**
   * Serves a file at port 4420 of all devices.
   *
   * @param nqn name of the subsystem
   * @param mib its size in MiB
   * @param file made where there is none; empty for memory
   * @return what the shell prints
   * @throws IOException when the file cannot be had
   */
  public synchronized String serve(String nqn, long mib, String file) throws IOException {
    if (!served.isEmpty()) {
      return served.keySet() + " is served already: nvmet:end";
    }
    long bytes = Math.multiplyExact(mib, 1L << 20);
    Store store = file.isEmpty() ? Store.memory(bytes) : Store.file(Path.of(file), bytes);
    boolean made = false;
    try {
      Subsystem subsystem = new Subsystem(nqn, store);
      InetSocketAddress all = new InetSocketAddress(PORT);
      Target target = Target.open(core, connections, all, subsystem, Limits.USUAL);
      served.put(nqn, new Served(target, store));
      made = true;
      return "serving " + target;
    } finally {
      if (!made) {
        store.close();
      }
    }
  }

  /** {@return controllers and counters, for the shell} */
  public synchronized String show() {
    StringBuilder text = new StringBuilder();
    served.forEach(
        (nqn, one) ->
            text.append(one.target)
                .append(", connections ")
                .append(one.target.connections())
                .append(", refused ")
                .append(one.target.counters())
                .append(String.join("\n  ", one.target.controllers())));
    return text.isEmpty() ? "nothing is served" : text.toString();
  }

  /** Ends what is served; {@return what the shell prints} */
  public String end() {
    close();
    return "ended";
  }

  /**
   * Connects as a host to any target, overwrites the first 4 MiB of its first namespace, reads at
   * random places, and compares.
   *
   * @param address of the target
   * @param nqn name of the subsystem
   * @param reads how many pages are read
   * @return what was done
   * @throws InterruptedException when the command is interrupted
   */
  public String exercise(String address, String nqn, int reads) throws InterruptedException {
    InetSocketAddress to = new InetSocketAddress(address, PORT);
    try (RdmaCm cm = RdmaCm.open(core, connections, "nvmet:exercise");
        Initiator host = new Initiator(cm, to, RdmaOptions.rc(), nqn)) {
      return host.exercise(reads, System.nanoTime());
    }
  }

  @Deactivate
  synchronized void close() {
    served.values().forEach(one -> one.target.close());
    served.values().forEach(one -> one.store.close());
    served.clear();
  }
}
