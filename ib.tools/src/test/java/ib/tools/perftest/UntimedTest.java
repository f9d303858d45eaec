package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.run.DeviceUse;
import ib.tools.testing.Left;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("issue 12, 6: perftest's programs warm up untimed")
@Timeout(600)
class UntimedTest {
  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  private final SoftFabric fabric = SoftFabric.open("warm0");

  @AfterEach
  void close() {
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    fabric.close();
  }

  /** Runs a warm-up without a limit of time: it ends only when all its messages have arrived. */
  private void loop(Tool tool, String options) {
    String[] words = Stream.of(options.split(" ")).filter(w -> !w.isEmpty()).toArray(String[]::new);
    PerftestOptions untimed = PerftestOptions.parse(tool, words).untimed();
    Semaphore wakeUp = new Semaphore(0);
    try (DeviceUse use = DeviceUse.open(fabric.core(), tool.program(), Set.of("warm0"), wakeUp)) {
      Runnable stop = () -> use.checkGoingOn(tool.program());
      new Perftest(untimed, "warm0", NOWHERE, NOWHERE, wakeUp, stop).loop(use);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a queue pair that is its own peer carries the messages of each program")
  void each(Tool tool) {
    loop(tool, "");
  }

  @ParameterizedTest
  @CsvSource({
    "SEND_BW, -c UD -s 1024",
    "SEND_BW, -c UD",
    "SEND_BW, -c UC -s 3000",
    "SEND_BW, -e -s 64",
    "SEND_BW, -n 5 -s 64",
    "SEND_BW, -b -l 4 -q 2 -s 64",
    "SEND_BW, -n 96 -l 48 -s 64",
    "SEND_BW, -D 2 -t 16384 -s 64",
    "SEND_BW, --run_infinitely -s 64",
    "SEND_LAT, -c UD -e",
    "SEND_LAT, -I 64 -s 64",
    "WRITE_BW, -b -s 64",
    "WRITE_LAT, -s 1 -c UC",
    "READ_BW, -o 1 -s 64",
    "ATOMIC_BW, -A CMP_AND_SWAP",
  })
  @DisplayName("so it does with the options of the run")
  void options(Tool tool, String options) {
    loop(tool, options);
  }

  @Test
  @DisplayName("--no-warmup is the original's behaviour; messages of a warm-up have at most 64 KiB")
  void option() {
    PerftestOptions run = PerftestOptions.parse(Tool.WRITE_BW, "-a");
    assertTrue(run.warmUp());
    assertEquals(List.of(65536), run.untimed().sizes());
    assertFalse(run.untimed().warmUp());
    assertFalse(PerftestOptions.parse(Tool.WRITE_BW, "--no-warmup").warmUp());
  }
}
