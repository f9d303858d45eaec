package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.getopt.CommandException;
import ib.tools.testing.Golden;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("B14: perftest's options -b, -D, -l, -I, -H, -U and --run_infinitely")
class PerftestOptionsTest {
  private static String refusal(Tool tool, String options) {
    return assertThrows(
            CommandException.class, () -> PerftestOptions.parse(tool, options.split(" ")))
        .getMessage();
  }

  @Test
  @DisplayName("the usage names options as the original's does, and each of those named is read")
  void usage() {
    String original = Golden.of("perftest/ib_send_bw_help");
    List<String> ours =
        refusal(Tool.SEND_BW, "-h")
            .lines()
            .filter(line -> line.matches(" +-.*"))
            .map(line -> line.strip().replaceAll("(--[^ =]+).*", "$1"))
            .toList();
    assertTrue(ours.contains("-b, --bidirectional"), ours.toString());
    assertTrue(ours.contains("--run_infinitely"), ours.toString());
    for (String option : ours) {
      // what a newer perftest than the recorded one has, what is ours, and what its usage misspells
      boolean more =
          option.equals("--bind_source_ip")
              || option.startsWith("--no-warmup")
              || option.equals("-z, --comm_rdma_cm");
      assertTrue(original.contains(option) || more, option);
    }
    PerftestOptions read =
        PerftestOptions.parse(
            Tool.SEND_BW, "--bidirectional", "--duration", "7", "--post_list=4", "--inline_size=9");
    assertTrue(read.duplex());
    assertEquals(7, read.seconds());
    assertEquals(4, read.postList());
    assertEquals(9, read.inline());
    assertTrue(PerftestOptions.parse(Tool.WRITE_BW, "-b", "--run_infinitely").forever());
  }

  @ParameterizedTest
  @CsvSource({
    "SEND_LAT, -b",
    "SEND_LAT, -l 2",
    "WRITE_LAT, --run_infinitely",
    "READ_BW, -I 8",
    "ATOMIC_LAT, -I 8",
    "SEND_BW, -H",
    "WRITE_BW, -U",
  })
  @DisplayName("a program that has no such option says what it has")
  void others(Tool tool, String options) {
    assertTrue(refusal(tool, options).contains("Options:"), refusal(tool, options));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-D 3 -e | Duration mode doesn't work with events.",
        "-D 3 -a | Duration mode currently doesn't support running on all sizes.",
        "-l 3 -n 100 | Number of iterations must be a multiple of post list size",
        "-l 4 -Q 3 -n 100 | Post list size must be a multiple of CQ moderation",
        "-l 256 -n 512 | Post list size cannot be greater than TX depth",
        "--run_infinitely -e | run_infinitely does not support events feature yet.",
        "--run_infinitely -b"
            + " | run_infinitely mode is not supported in SEND Bidirectional BW test",
      })
  @DisplayName("options that exclude each other are refused in the original's words")
  void together(String options, String why) {
    assertEquals(why, refusal(Tool.SEND_BW, options).strip());
  }

  @Test
  @DisplayName("a list is completed as a whole, a run by time has no peak and no end in iterations")
  void defaults() {
    assertEquals(16, PerftestOptions.parse(Tool.SEND_BW, "-l", "16", "-n", "160").cqMod());
    assertFalse(PerftestOptions.parse(Tool.SEND_BW, "-D", "2").peak());
    assertEquals(128, PerftestOptions.parse(Tool.SEND_BW, "-D", "2", "-n", "5").txDepth());
    assertEquals(5, PerftestOptions.parse(Tool.WRITE_BW, "--run_infinitely").seconds());
    assertEquals(0, PerftestOptions.parse(Tool.SEND_BW).seconds());
  }

  @ParameterizedTest
  @CsvSource({
    "13.89, 13.89",
    "1234567.8, 1.23457e+06",
    "123456.4, 123456",
    "0.00012, 0.00012",
    "0.00001234, 1.234e-05",
    "100, 100",
    "0.5, 0.5",
    "0, 0",
    "999999.9, 1e+06",
  })
  @DisplayName("numbers of -H and -U are those of C's %g")
  void general(double value, String text) {
    assertEquals(text, Latency.general(value));
  }

  @Test
  @DisplayName("-H lists the counted results in order, -U all as they came")
  void results() {
    long[] posted = {0, 9000, 10_000, 16_000, 18_000, 25_000, 26_500};
    assertEquals(
        "#, usec\n1, 0.5\n2, 0.75\n3, 1\n4, 3\n",
        Latency.results(posted, 2, PerftestOptions.Results.SORTED));
    assertEquals(
        "#, usec\n1, 4.5\n2, 0.5\n3, 3\n4, 1\n5, 3.5\n6, 0.75\n",
        Latency.results(posted, 2, PerftestOptions.Results.UNSORTED));
  }
}
