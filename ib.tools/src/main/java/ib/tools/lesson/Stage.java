package ib.tools.lesson;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.StandaloneDriver;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The devices, the capture and the lines of one run of a lesson. For the lesson's thread only. What
 * is left open when the lesson ends, {@link #close} closes.
 */
final class Stage implements AutoCloseable {
  private static final long WAIT_S = 10;
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  final LessonFabric fabric;
  private final WritableByteChannel sink;
  final Trace trace;
  private final List<Party> parties = new ArrayList<>();
  private final List<ClientRegistration> registrations = new ArrayList<>();
  private final List<String> results = new ArrayList<>();
  private final List<String> looks = new ArrayList<>();
  private String watched = "";
  private PacketCapture.@Nullable Session session;

  /**
   * Opens the devices of a lesson.
   *
   * @param driver the driver of the devices
   * @param lesson says which devices
   * @param sink takes the capture; the stage closes it
   * @param trace takes its packets
   */
  Stage(StandaloneDriver driver, Lesson lesson, WritableByteChannel sink, Trace trace) {
    this.sink = sink;
    this.trace = trace;
    this.fabric = LessonFabric.open(driver, lesson.devices());
  }

  /** Makes an end on a device. */
  Party party(String device, QpType type) {
    return party(fabric.device(device), type);
  }

  /** Makes an end on a device that a client has. */
  Party party(IbDevice device, QpType type) {
    Party party = new Party(device, type);
    parties.add(party);
    return party;
  }

  /**
   * Registers a client; the stage unregisters it in the end.
   *
   * @param client its devices are added before this returns
   * @param after names of the clients that are removed later than this one
   */
  void register(IbClient client, String... after) {
    registrations.add(fabric.core().registerClient(client, after));
  }

  /** Captures the packets of a device from now on; once in a lesson. */
  void watch(String device, Filter filter) {
    watched = device;
    session = fabric.service(device, PacketCapture.class).start(sink, filter);
  }

  /** Disturbs the packets of a device from now on. */
  void fault(String device, String rule) {
    fabric.service(device, FaultInjection.class).add(FaultRule.parse(rule));
  }

  /**
   * Waits until the subnet manager has set up a port.
   *
   * @throws CommandException after 10 s, or when the thread is interrupted
   */
  PortAttr awaitActive(IbDevice device) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
    for (PortAttr port = device.queryPort(1); ; port = device.queryPort(1)) {
      if (port.state() == PortState.ACTIVE) {
        return port;
      }
      if (Thread.interrupted()) {
        throw Party.interrupted();
      }
      if (System.nanoTime() - end > 0) {
        throw new CommandException("ib:lesson: " + device + " is not active in " + WAIT_S + " s");
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  /** Ends the capture. {@return its packets} */
  List<Seen> stop() {
    PacketCapture.Session running = session;
    if (running == null) {
      return trace.packets();
    }
    session = null;
    running.close();
    running
        .failure()
        .ifPresent(
            why -> {
              throw new CommandException("ib:lesson: the capture failed: " + why);
            });
    return trace.packets();
  }

  /** Notes a result. */
  void say(String format, Object... values) {
    results.add(String.format(format, values));
  }

  /** Notes what the reader is to look at. */
  void lookAt(String format, Object... values) {
    looks.add(String.format(format, values));
  }

  /** {@return the run so far} */
  Report report(int number, Lesson lesson) {
    return new Report(
        number, lesson.title(), lesson.story(), watched, trace.packets(), results, looks);
  }

  @Override
  public void close() {
    try {
      stop();
    } finally {
      try {
        parties.reversed().forEach(Party::close);
        registrations.reversed().forEach(ClientRegistration::unregister);
      } finally {
        fabric.close();
      }
    }
  }
}
