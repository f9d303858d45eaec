package ib.tools.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.tools.getopt.CommandException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 12, 6: the warm-up before a measured run")
@Timeout(600)
class WarmUpTest {
  private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
  private static final Runnable GO_ON = () -> {};

  private static WarmUp lasting(long maxNs) {
    return new WarmUp(List.of(), List.of(), maxNs);
  }

  @Test
  @DisplayName("it ends when its time is over, which is no failure of the run")
  void bounded() {
    List<String> thrown = new ArrayList<>();
    lasting(0)
        .run(
            List.of("dev0"),
            GO_ON,
            limit -> {
              CommandException e = assertThrows(CommandException.class, limit::run);
              thrown.add(e.getMessage());
              throw e;
            });
    assertEquals(1, thrown.size());
    lasting(HOUR_NS).run(List.of("dev0"), GO_ON, Runnable::run);
  }

  @Test
  @DisplayName("traffic that fails is no failure of the run, which reports what is wrong itself")
  void failing() {
    Consumer<Runnable> failing =
        limit -> {
          throw new CommandException("Couldn't create CQ");
        };
    lasting(HOUR_NS).run(List.of("dev0"), GO_ON, failing);
  }

  @Test
  @DisplayName("Ctrl-C, which is reported only once, ends the run though the traffic asks again")
  void interrupted() {
    CommandException interrupt = new CommandException(130, "interrupted");
    List<CommandException> told = new ArrayList<>(List.of(interrupt));
    Runnable once =
        () -> {
          if (!told.isEmpty()) {
            throw told.removeFirst();
          }
        };
    Consumer<Runnable> asking =
        limit -> {
          assertSame(interrupt, assertThrows(CommandException.class, limit::run));
          limit.run();
          throw new CommandException("poll CQ failed");
        };
    CommandException e =
        assertThrows(
            CommandException.class, () -> lasting(HOUR_NS).run(List.of("dev0"), once, asking));
    assertSame(interrupt, e);
  }

  @Test
  @DisplayName("traffic that fails because its device was removed ends the run with that reason")
  void removed() {
    List<CommandException> told = new ArrayList<>();
    Runnable stop =
        () -> {
          if (!told.isEmpty()) {
            throw told.getFirst();
          }
        };
    CommandException removed = new CommandException("IB device dev0 was removed during the run");
    Consumer<Runnable> failing =
        limit -> {
          told.add(removed);
          throw new CommandException("Couldn't post send");
        };
    assertSame(
        removed,
        assertThrows(
            CommandException.class, () -> lasting(HOUR_NS).run(List.of("dev0"), stop, failing)));
  }

  @Test
  @DisplayName("a device that disturbs packets, or whose packets are captured, is not warmed up")
  void observed() {
    Faults faults = new Faults();
    Capture capture = new Capture();
    WarmUp warmUp = new WarmUp(List.of(faults), List.of(capture));
    assertTrue(runs(warmUp));
    faults.rules = List.of(new FaultInjection.Active(1, FaultRule.parse("loss rate=0.5"), 0, 0));
    assertFalse(runs(warmUp));
    faults.rules = List.of();
    capture.running = Optional.of(new Session());
    assertFalse(runs(warmUp));
    capture.running = Optional.empty();
    assertTrue(runs(warmUp));
  }

  private static boolean runs(WarmUp warmUp) {
    boolean[] ran = new boolean[2];
    warmUp.run(List.of("dev0", "dev1"), GO_ON, limit -> ran[0] = true);
    warmUp.run(List.of("dev0"), GO_ON, limit -> ran[1] = true);
    assertTrue(ran[1], "the other device is not observed");
    return ran[0];
  }

  private static final class Faults implements FaultInjection {
    private List<Active> rules = List.of();

    @Override
    public String device() {
      return "dev1";
    }

    @Override
    public List<Active> list() {
      return rules;
    }

    @Override
    public int add(FaultRule rule) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean remove(int id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int clear() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void seed(long seed) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Capture implements PacketCapture {
    private Optional<PacketCapture.Session> running = Optional.empty();

    @Override
    public String device() {
      return "dev1";
    }

    @Override
    public PacketCapture.Session start(WritableByteChannel sink, Filter filter) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<PacketCapture.Session> running() {
      return running;
    }
  }

  private static final class Session implements PacketCapture.Session {
    @Override
    public long written() {
      return 0;
    }

    @Override
    public long dropped() {
      return 0;
    }

    @Override
    public boolean running() {
      return true;
    }

    @Override
    public Optional<String> failure() {
      return Optional.empty();
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException();
    }
  }
}
