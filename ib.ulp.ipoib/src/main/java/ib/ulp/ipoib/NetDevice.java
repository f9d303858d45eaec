package ib.ulp.ipoib;

import ib.core.sa.SaClient;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbTimedOutException;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.link.Shared;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.wire.LinkAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A network interface: a link, a host on it, and the thread that runs both. */
public final class NetDevice implements AutoCloseable {
  /** How long the removal of a device waits for all its interfaces together (1.6). */
  static final Duration END_WITHIN = Duration.ofMillis(1500);

  private static final EventType[] EVENTS = EventType.values();

  private final Logger log = LoggerFactory.getLogger(NetDevice.class);
  private final String name;

  /** Whether this interface was created as the child of another, for a partition. */
  final boolean child;

  private final IbDevice device;
  final int port;
  final LinkConfig config;
  private final SaClient sa;
  private final Loop loop;
  private final Link link;
  private final Host host;
  private final Thread thread;
  private final AtomicInteger events =
      new AtomicInteger(); // bits of the event types not handled yet
  private final IbEventHandler handler;

  /**
   * An interface by its name, and where it is.
   *
   * @param name name of the interface
   * @param child whether the interface shares its port with a parent
   * @param device the client's handle
   * @param port from 1
   */
  record Place(String name, boolean child, IbDevice device, int port) {}

  private NetDevice(Place place, LinkConfig config, SaClient sa, Shared shared, Backend backend) {
    name = place.name;
    child = place.child;
    device = place.device;
    port = place.port;
    this.config = config;
    this.sa = sa;
    loop = new Loop(System::nanoTime, backend.sleeper());
    link = new Link(loop, device, port, config, sa, shared);
    host = backend.attach(link);
    thread = Thread.ofPlatform().daemon().name("ipoib-" + name).unstarted(loop::run);
    handler =
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            heard(event);
          }
        };
  }

  /**
   * Opens an interface and starts it. Does not wait for the multicast joins, which the interface's
   * thread makes (1.6).
   *
   * @param place its name, device and port
   * @param config configuration of the interface
   * @param subnet opens the SA client of the port
   * @param shared the objects that all interfaces share
   * @param backends opens the backend of the interface
   * @throws IOException when the kernel refuses the TAP or TUN device
   */
  static NetDevice open(
      Place place,
      LinkConfig config,
      Function<IbDevice, SaClient> subnet,
      Shared shared,
      Backend.Factory backends)
      throws IOException {
    SaClient sa = subnet.apply(place.device);
    boolean whole = false;
    @Nullable Backend backend = null;
    try {
      backend = backends.open(place.name);
      NetDevice made = new NetDevice(place, config, sa, shared, backend);
      place.device.registerEventHandler(
          made.handler); // before the link reads the port's state (B12)
      made.loop.execute(() -> made.link.start(made.host));
      made.thread.start();
      whole = true;
      return made;
    } finally {
      if (!whole) {
        if (backend != null) {
          backend.close();
        }
        sa.close();
      }
    }
  }

  /**
   * Records an event and wakes the loop; never blocks. Equal events that arrive together are
   * handled once (1.5).
   */
  private void heard(IbEvent event) {
    boolean mine =
        event.port() == port || event.type().affiliation() == EventType.Affiliation.DEVICE;
    int bit = 1 << event.type().ordinal();
    if (mine && events.getAndUpdate(bits -> bits | bit) == 0) {
      loop.execute(this::handleEvents);
    }
  }

  private void handleEvents() {
    int bits = events.getAndSet(0);
    EnumSet<EventType> kinds = EnumSet.noneOf(EventType.class);
    for (EventType type : EVENTS) {
      if ((bits >>> type.ordinal() & 1) != 0) {
        kinds.add(type);
      }
    }
    kinds.forEach(link::event);
  }

  /** {@return the name, for example {@code ib0} or {@code ib0.8001}} */
  public String name() {
    return name;
  }

  /** {@return device and port, for example {@code soft0/1}} */
  public String where() {
    return device.name() + "/" + port;
  }

  /** {@return whether the interface uses that client handle} */
  boolean isOn(IbDevice handle) {
    return device.equals(handle);
  }

  /** {@return the interface's P_Key with the membership bit; 0 while the port's table has none} */
  int pkey() {
    int key = config.pkey() == 0 ? device.pkey(port, 0) : config.pkey();
    return (key & 0x7fff) == 0 ? 0 : key | 0x8000;
  }

  /** {@return the present state of the link} */
  public LinkState state() {
    return link.state();
  }

  /** {@return a fault of the subnet that does not stop all packets, in words, or empty} */
  public String warning() {
    return link.warning();
  }

  /** {@return the stack in this JVM, or the kernel's TAP or TUN device} */
  public Host host() {
    return host;
  }

  /** {@return the counters, in the order in which they are printed} */
  public Map<String, Long> statistics() {
    Map<String, Long> all = link.statistics().all();
    if (loop.failures() != 0) {
      all.put("failures", loop.failures());
    }
    return all;
  }

  /**
   * Returns how many packets of the interface's port the fabric has dropped.
   *
   * @param counters the hardware counters of a device's port
   * @return packets by reason, reasons without packets left out
   */
  Map<String, Long> losses(BiFunction<String, Integer, Map<String, Long>> counters) {
    Map<String, Long> lost = new LinkedHashMap<>(counters.apply(device.name(), port));
    lost.entrySet().removeIf(e -> !e.getKey().startsWith("fabric_drop_") || e.getValue() == 0);
    return lost;
  }

  /** {@return the state of each multicast group, as text; waits for the loop, at most 1 s} */
  public Map<String, String> groups() {
    return ask(link::groups);
  }

  /** {@return the state of each path, as text; waits for the loop, at most 1 s} */
  public Map<String, String> paths() {
    return ask(link::paths);
  }

  /** {@return the state of each connection by peer, as text; waits for the loop, at most 1 s} */
  public Map<String, String> connections() {
    return ask(link::connections);
  }

  /** {@return whether the interface is in connected mode} */
  public boolean connected() {
    return (state().address().flags() & LinkAddress.RC) != 0;
  }

  /**
   * Sets connected mode or datagram mode, which flushes all paths (C6); waits for the loop, at most
   * 1 s.
   */
  public void connected(boolean on) {
    ask(
        () -> {
          link.connected(on);
          return on;
        });
  }

  /** {@return the state of each neighbour, as text; waits for the loop, at most 1 s} */
  public Map<String, String> neighbours() {
    return ask(host::neighbours);
  }

  private <T> T ask(java.util.function.Supplier<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(question.get()));
    try {
      return answer.get(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IbTimedOutException(name, "interrupted", "call again");
    } catch (ExecutionException | TimeoutException e) {
      throw new IbTimedOutException(name, "the interface does not answer", "see the log");
    }
  }

  /**
   * Closes the interface and waits for its thread, at most {@link #END_WITHIN} (1.6). A thread that
   * has not ended by then is reported in the log with its stack.
   */
  @Override
  public void close() {
    beginClose();
    endClose(System.nanoTime() + END_WITHIN.toNanos());
  }

  /**
   * Begins to close the interface: the loop stops the link, closes the host and ends. Does not
   * wait.
   */
  void beginClose() {
    device.unregisterEventHandler(handler);
    loop.execute(
        () -> {
          try {
            link.stop();
          } finally {
            try {
              host.close();
            } finally {
              loop.end();
            }
          }
        });
  }

  /**
   * Waits for the interface's thread to end, at most until {@code deadline} ({@link
   * System#nanoTime}), then closes its SA client.
   */
  void endClose(long deadline) {
    boolean interrupted = false;
    boolean ended = false;
    long left = 1;
    while (!ended && left > 0) {
      left = Math.max(0, deadline - System.nanoTime());
      try {
        ended = thread.join(Duration.ofNanos(Math.max(1, left)));
      } catch (InterruptedException e) {
        interrupted = true; // waits on until the deadline
      }
    }
    if (!ended) {
      StringBuilder stack = new StringBuilder();
      for (StackTraceElement line : thread.getStackTrace()) {
        stack.append("\n  at ").append(line);
      }
      log.error(
          "interface {}: its thread has not ended in time and is left running; its stack: {}",
          name,
          stack);
    }
    sa.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
