package ib.driver.rxe;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.verbs.Gid;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.rxe.udp.Addresses;
import ib.driver.rxe.udp.HostNews;
import ib.driver.rxe.udp.UdpWire;
import ib.engine.port.HcaPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a port in step with the host: GID table, MTU and state follow the host's addresses, with
 * the events that belong to them. Its own thread looks when the host announces a change, and at
 * most once a second while there is something to wait for: packets are sent, datagrams are refused,
 * the port is down, or an address cannot be used. Otherwise the thread rests without a time limit.
 * On a host that announces nothing the thread looks each second. The object's monitor guards the
 * table.
 */
final class HostWatch implements Runnable {
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long GAP_NS = TimeUnit.MILLISECONDS.toNanos(50); // between two looks
  private static final int ROOM = 80; // bytes that Linux rxe reserves for headers
  private static final String TAKEN = "already in use";

  private final RxeConfig config;
  private final Host host;
  private final HcaPort port;
  private final UdpWire wire;
  private final Consumer<String> log;
  private final int own; // first index of the GID table that is for addresses alone

  @GuardedBy("this")
  private final List<@Nullable InetAddress> table = new ArrayList<>(); // by GID index

  @GuardedBy("this")
  private final Set<InetAddress> refused = new HashSet<>(); // addresses already reported

  private final HostNews news;
  private volatile boolean stopped;
  private @Nullable Thread thread;
  // used by the thread only
  private boolean announced = true; // until the log has a line that nothing is announced any more
  private boolean failed; // in the last look

  /**
   * Watches nothing yet.
   *
   * @param config configuration of the device
   * @param host source of the host's addresses
   * @param port the device's port
   * @param wire the port's wire
   * @param news the announcements of the host; the owner closes them when nothing is sent any more
   * @param log takes warnings
   */
  HostWatch(
      RxeConfig config,
      Host host,
      HcaPort port,
      UdpWire wire,
      HostNews news,
      Consumer<String> log) {
    this.news = news;
    this.config = config;
    this.host = host;
    this.port = port;
    this.wire = wire;
    this.log = log;
    // index 0 is an interface's default GID, always present as in Linux; addresses have none
    this.own = config.interfaceName().isPresent() ? 1 : 0;
    if (own > 0) {
      table.add(null);
    }
  }

  /**
   * Sets up the port before the device is plugged.
   *
   * @param view state of the host
   * @throws IbAgainException when the UDP port is taken on an address
   */
  void first(Host.View view) {
    if (own == 0) {
      port.gid(0, Gid.ZERO);
    }
    if (view.addresses().isEmpty()) {
      log.accept(
          "device "
              + config.name()
              + ": "
              + wanted()
              + " is not on this host now; the port is down");
    }
    apply(view, true);
  }

  private String wanted() {
    return config.interfaceName().map(n -> "interface " + n).orElse(config.addresses().toString());
  }

  void start(String name) {
    wire.onWork(news::ring);
    thread = Thread.ofPlatform().name(name).daemon().start(this);
  }

  @Override
  public void run() {
    long looked = System.nanoTime();
    boolean rests = false; // only a look after the news were opened misses nothing
    while (pause(looked, rests)) {
      looked = System.nanoTime();
      try {
        failed = true;
        look();
        failed = false;
      } catch (Throwable e) { // logged below; checked again in 1 s
        wire.failed(e);
      }
      wire.report().ifPresent(this::warn);
      deaf();
      rests = !failed && news.announces() && port.active() && nothingRefused() && wire.mayRest();
    }
  }

  private void deaf() {
    if (announced && news.failure().isPresent()) {
      announced = false;
      warn("the host announces no changes: " + news.failure().get() + "; looks each second");
    }
  }

  private void warn(String line) {
    log.accept("device " + config.name() + ": " + line);
  }

  private synchronized boolean nothingRefused() {
    return refused.isEmpty();
  }

  /** Waits until a look is due; {@return false when the thread is to end} */
  private boolean pause(long looked, boolean rests) {
    boolean rest = rests;
    long wait = LOOK_NS;
    while (!stopped) {
      long left = looked + wait - System.nanoTime();
      if (!rest && left <= 0) {
        return true;
      }
      int ms = rest ? HostNews.NO_LIMIT : 1 + (int) TimeUnit.NANOSECONDS.toMillis(left);
      if (news.await(ms)) {
        wait = GAP_NS; // one look for announcements that come together
      }
      rest = false;
    }
    return false;
  }

  /** Checks now. Any thread may call. */
  synchronized void look() {
    apply(host.look(config), false);
  }

  /** Ends the thread and waits for its end. Blocks for at most one check. */
  void stop() {
    stopped = true;
    news.ring();
    Thread t = thread;
    boolean interrupted = false;
    while (t != null && t.isAlive()) {
      try {
        t.join();
      } catch (InterruptedException e) {
        interrupted = true; // the thread ends as soon as it sees stopped
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void apply(Host.View view, boolean first) {
    for (int i = 0; i < table.size(); i++) {
      InetAddress address = table.get(i);
      if (address != null && !view.addresses().contains(address)) {
        close(address);
        table.set(i, null);
        if (i >= own) {
          port.gid(i, Gid.ZERO);
        }
      }
    }
    for (InetAddress address : view.addresses()) {
      if (!table.contains(address) && open(address, first)) {
        enter(address);
      }
    }
    refused.retainAll(view.addresses());
    wire.look();
    mtu(view.mtu());
    boolean up = view.up() && table.stream().anyMatch(a -> a != null);
    if (up != port.active()) {
      port.state(
          up ? PortState.ACTIVE : PortState.DOWN, up ? PhysState.LINK_UP : PhysState.DISABLED);
    }
  }

  private void close(InetAddress address) {
    try {
      wire.close(address);
    } catch (IOException e) {
      log.accept("device " + config.name() + ": " + e.getMessage());
    }
  }

  @GuardedBy("this")
  private boolean open(InetAddress address, boolean first) {
    try {
      wire.open(address);
      refused.remove(address);
      return true;
    } catch (IOException e) {
      boolean taken = e instanceof BindException && String.valueOf(e.getMessage()).contains(TAKEN);
      IbAgainException why =
          new IbAgainException(
              "bind " + address.getHostAddress() + " UDP port " + config.udp().port(),
              taken
                  ? "taken, probably by " + PortOwner.describe(config.udp().port())
                  : String.valueOf(e.getMessage()),
              taken ? "stop it, or run in a network namespace of your own" : "check the address");
      if (first && taken) {
        throw why;
      }
      if (refused.add(address)) {
        log.accept(
            "device "
                + config.name()
                + ": "
                + why.getMessage()
                + "; the device tries again every second");
      }
      return false;
    }
  }

  /** Enters an address: at index 0 if it is an interface's default GID, else the first free one. */
  @GuardedBy("this")
  private void enter(InetAddress address) {
    Gid gid = Addresses.gid(address);
    if (own > 0 && gid.equals(port.gid(0))) {
      table.set(0, address);
      return;
    }
    int free = table.subList(own, table.size()).indexOf(null);
    int index = free < 0 ? table.size() : own + free;
    if (free < 0) {
      table.add(address);
    } else {
      table.set(index, address);
    }
    port.gid(index, gid);
  }

  private void mtu(int bytes) {
    Mtu active = Mtu.MTU_256;
    for (Mtu mtu : Mtu.values()) {
      if (mtu.bytes() <= bytes - ROOM && mtu.bytes() <= config.mtu().bytes()) {
        active = mtu;
      }
    }
    Mtu chosen = active;
    if (bytes > 0 && chosen != port.attr().activeMtu()) {
      port.update(b -> b.activeMtu(chosen));
    }
  }
}
