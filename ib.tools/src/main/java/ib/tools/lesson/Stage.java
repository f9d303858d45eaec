package ib.tools.lesson;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.StandaloneDriver;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices, the capture and the lines of one run of a lesson. For the lesson's thread only. What
 * is left open when the lesson ends, {@link #close} closes.
 */
final class Stage implements AutoCloseable {
  private final LessonFabric fabric;
  private final WritableByteChannel sink;
  private final Trace trace;
  private final List<Party> parties = new ArrayList<>();
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

  LessonFabric fabric() {
    return fabric;
  }

  Trace trace() {
    return trace;
  }

  /** Makes an end on a device. */
  Party party(String device, QpType type) {
    Party party = new Party(fabric.device(device), type);
    parties.add(party);
    return party;
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
      } finally {
        fabric.close();
      }
    }
  }
}
