package ib.tools.lesson;

import ib.core.client.IbClient;
import ib.core.client.RemovalReport;
import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A device that is unplugged under a connection. */
final class UnplugLesson {
  private static final String GOES = "lesson1";

  /** The program at the device that is unplugged. */
  private static final class Program implements IbClient {
    private final Stage stage;
    private volatile @Nullable Party party;

    Program(Stage stage) {
      this.stage = stage;
    }

    @Override
    public String name() {
      return "lesson";
    }

    @Override
    public boolean supports(DeviceInfo device) {
      return device.name().equals(GOES);
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      party = stage.party(device, QpType.RC);
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      party().close();
    }

    Party party() {
      Party there = party;
      if (there == null) {
        throw new CommandException("ib:lesson: " + GOES + " was not added");
      }
      return there;
    }
  }

  static final Lesson LESSON =
      new Lesson(
          "unplug",
          "hot-unplug, a peer that goes away",
          """
          lesson1 is unplugged while it is connected. Its program is an IbClient: the core
          calls its remove, the program closes its queue pair, and only then does the
          device go. The other end is not informed. Its next request is repeated after
          each ACK timeout, until the retries are used up; then it fails with
          RETRY_EXC_ERR, and the queue pair is in the error state.""",
          UnplugLesson::run,
          Lesson.TWO);

  private UnplugLesson() {}

  private static void run(Stage stage) {
    Program program = new Program(stage);
    stage.register(program);
    Party a = stage.party("lesson0", QpType.RC);
    Party b = program.party();
    QueuePairs.connect(a.qp, b.qp);
    stage.watch("lesson0", new Filter(1, a.qp.qpn(), -1));
    b.receive(7);
    a.send(1, "before the unplug");
    WorkCompletion before = a.completion();
    long attempts = a.qp.query().retryCount();
    stage.fabric.unplug(GOES);
    a.send(2, "after the unplug");
    WorkCompletion after = a.completion();
    List<Seen> packets = stage.stop();
    Seen last = packets.getLast();
    Optional<RemovalReport> removal = stage.fabric.core().lastRemoval(GOES);
    stage.say("lesson0: request %d completed with %s", before.wrId(), before.status());
    removal.ifPresent(
        r ->
            stage.say(
                "lesson1: first its client \"%s\" was removed, %d objects leaked",
                r.steps().getFirst().client(), r.leaks().size()));
    stage.say(
        "lesson0: request %d completed with %s; the queue pair is in state %s",
        after.wrId(), after.status(), a.qp.state());
    stage.lookAt(
        "packet %d is the last one: \"%s\"; retry_cnt is %d",
        last.number(), last.verdict(), attempts);
    stage.lookAt(
        "the time between the repetitions: the ACK timeout, 4.096 us * 2^%d or more",
        a.qp.query().timeout());
    stage.lookAt("nothing is received after packet 2: a port that is gone answers nothing");
  }
}
