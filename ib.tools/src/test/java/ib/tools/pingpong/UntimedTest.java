package ib.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 12, 6: the ping-pongs warm up untimed")
@Timeout(600)
class UntimedTest {
  // however busy the machine is
  private static final WarmUp WARM_UP = new WarmUp(List.of(), List.of(), Long.MAX_VALUE);
  private static final PrintStream ERR = new PrintStream(OutputStream.nullOutputStream());

  private final SoftFabric fabric = SoftFabric.open("warm0", "warm1");

  @AfterEach
  void close() {
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    fabric.close();
  }

  /** {@return packets that a device has sent during a run} */
  private long sent(Kind kind, String... args) {
    long before = sent();
    PingPong.run(fabric.core(), WARM_UP, kind, ERR, ERR, args);
    return sent() - before;
  }

  private long sent() {
    Listing<?> shown =
        (Listing<?>)
            Rdma.run(fabric.core(), List.of(), List.of(), System.out, "statistic", "show", "link");
    return shown.stream()
        .map(row -> (Map<?, ?>) row)
        .filter(row -> row.get("ifname").equals("warm0"))
        .mapToLong(row -> ((Number) row.get("sent_pkts")).longValue())
        .sum();
  }

  @ParameterizedTest
  @CsvSource({"RC", "UC", "UD", "SRQ"})
  @DisplayName("more is sent than the run's messages, and with --no-warmup no more")
  void more(Kind kind) {
    String[] args = {"-d", "warm0", "-n", "10", "-s", "64", "warm1"};
    assertTrue(sent(kind, args) > WarmUp.MESSAGES, "a warm-up");
    String[] original = {"-d", "warm0", "-n", "10", "-s", "64", "--no-warmup", "warm1"};
    assertTrue(sent(kind, original) < 100, "the run only");
  }

  @ParameterizedTest
  @CsvSource({
    "RC, -s 0",
    "RC, -s 3000000 -m 4096 -r 1",
    "RC, -e -N",
    "UC, -e",
    "UD, -s 4096",
    "SRQ, -q 256 -s 100000",
  })
  @DisplayName("a warm-up takes the options of its run, its messages are at most 64 KiB")
  void settings(Kind kind, String options) {
    Settings run =
        Settings.parse(
            kind, Set.of("warm0", "warm1")::contains, ("-d warm0 warm1 " + options).split(" "));
    Settings untimed = run.untimed();
    assertEquals(Math.min(65536, run.size()), untimed.size());
    assertEquals(run.mtu(), untimed.mtu());
    assertEquals(run.modes().events(), untimed.modes().events());
    assertEquals(run.modes().newPost(), untimed.modes().newPost());
    assertTrue(untimed.rxDepth() >= untimed.queuePairs());
    String[] args = ("-d warm0 warm1 -n 1 " + options).split(" ");
    assertTrue(sent(kind, args) > WarmUp.MESSAGES, "all its messages arrive");
  }

  @Test
  @DisplayName("Ctrl-C ends the warm-up and with it the run, which has printed nothing yet")
  void interrupt() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    Thread.currentThread().interrupt();
    CommandException e =
        assertThrows(
            CommandException.class,
            () -> PingPong.run(fabric.core(), WARM_UP, Kind.RC, out, ERR, "-d", "warm0", "warm1"));
    assertEquals(130, e.getAsInt());
    assertEquals("", printed.toString(StandardCharsets.UTF_8));
  }
}
