package ib.web.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.run.WarmUp;
import ib.web.page.Markup;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The counters of ports over five minutes")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CountersTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static Sample sample(long second, long bytes, long drops) {
    Map<String, Long> named = drops == 0 ? Map.of() : Map.of("drop_icrc", drops);
    return new Sample(second * SECOND, bytes, bytes / 2, bytes / 100, named);
  }

  private static String draw(Series series) {
    Markup out = new Markup();
    CountersScreen.draw(out, "a/1", series);
    return out.toString();
  }

  @Test
  @DisplayName("a rate is the difference by the time; a counter that was set back counts as 0")
  void rates() {
    Series series =
        new Series("a", 1, List.of(sample(0, 0, 0), sample(2, 4000, 3), sample(3, 100, 0)));
    List<Series.Rate> rates = series.rates();
    assertEquals(2000, rates.getFirst().sent());
    assertEquals(1000, rates.getFirst().received());
    assertEquals(3, rates.getFirst().drops());
    assertEquals(0, rates.getLast().sent());
    assertEquals(0, rates.getLast().drops());
  }

  @Test
  @DisplayName("300 samples are kept, five minutes at one per second")
  void bound() {
    Series series = new Series("a", 1, List.of());
    for (int i = 0; i < 1000; i++) {
      series = series.with(sample(i, i, 0));
    }
    assertEquals(300, series.samples().size());
    assertEquals(999 * SECOND, series.samples().getLast().atNs());
  }

  @Test
  @DisplayName("a chart has red bars where packets were dropped, and only there")
  void drops() {
    Series fine = new Series("a", 1, List.of(sample(0, 0, 0), sample(1, 10, 0), sample(2, 20, 0)));
    assertFalse(draw(fine).contains("<rect class=\"drops\""));
    Series bad = fine.with(sample(3, 30, 2)).with(sample(4, 40, 2)).with(sample(5, 50, 7));
    assertEquals(2, draw(bad).split("<rect class=\"drops\"", -1).length - 1);
    assertTrue(draw(bad).contains("<td>drop_icrc</td><td>7</td><td>7</td>"), draw(bad));
  }

  @Test
  @DisplayName("the sampler reads a port's traffic and the packets that a fault has lost")
  void sampler() {
    try (SoftFabric soft = SoftFabric.open("c0", "c1")) {
      FaultInjection faults = soft.service("c0", FaultInjection.class);
      faults.add(FaultRule.parse("loss opcode=0x04 skip=5 count=2"));
      // without a timer, whose reading during a slow ping-pong would have the drops
      try (Sampler sampler = new Sampler(soft.core(), () -> List.of(faults))) {
        long now = System.nanoTime();
        sampler.read(now);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        String[] line = {"-d", "c0", "-n", "50", "-s", "64", "c1"};
        WarmUp warmUp = new WarmUp(List.of(faults), List.of());
        PingPong.run(soft.core(), warmUp, Kind.RC, nowhere, nowhere, line);
        sampler.read(now + SECOND);
        assertTrue(sampler.bytesPerS("c0", 1) > 50 * 64, "" + sampler.bytesPerS("c0", 1));
        assertEquals(-1, sampler.bytesPerS("nowhere", 1));
        Series series = sampler.series().get("c0/1");
        assertEquals(2, series.rates().getLast().drops());
        soft.unplug("c1");
        sampler.read(now + 2 * SECOND);
        assertTrue(sampler.series().containsKey("c1/1"), "it stays for five minutes");
        sampler.read(now + 400 * SECOND);
        assertFalse(sampler.series().containsKey("c1/1"));
      }
    }
  }
}
