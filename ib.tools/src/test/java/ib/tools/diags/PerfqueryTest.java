package ib.tools.diags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PortCounter;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Golden;
import ib.tools.testing.Rxe;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 3, section 4: perfquery, byte for byte")
class PerfqueryTest {
  private final FakeCore core = new FakeCore(Rxe.hca("soft0", 0, 1), Rxe.hca("two", 1, 2));

  @BeforeEach
  void counters() {
    core.portCounters.put(PortCounter.XMIT_DATA, 648L);
    core.portCounters.put(PortCounter.RCV_DATA, 648L);
    core.portCounters.put(PortCounter.XMIT_PKTS, 9L);
    core.portCounters.put(PortCounter.RCV_PKTS, 9L);
  }

  private Object run(String line) {
    return Perfquery.run(core, line.isEmpty() ? new String[0] : line.split(" "));
  }

  private String printed(String line) {
    Object value = run(line);
    return (value instanceof Printable p ? p.text() : value.toString()) + "\n";
  }

  @ParameterizedTest
  @CsvSource({
    "'', perfquery",
    "-a, perfquery",
    "-l, perfquery",
    "-r, perfquery",
    "-C soft0, perfquery",
    "-C soft0 -P 1, perfquery",
    "3 1, perfquery",
    "soft0, perfquery",
    "soft0 1, perfquery",
    "-G 0x02c90300000a0001, perfquery",
    "-x, perfquery_x",
    "-x -a, perfquery_x",
    "--extended soft0 1, perfquery_x",
  })
  @DisplayName("recorded from infiniband-diags 44")
  void recorded(String line, String golden) {
    assertEquals(Golden.of(golden), printed(line));
  }

  @ParameterizedTest
  @CsvSource({
    "-X 3 1, perfquery_xmtsl",
    "-S 3 1, perfquery_rcvsl",
    "-D 3 1, perfquery_xmtdisc",
    "-E 3 1, perfquery_rcverr",
  })
  @DisplayName("B5: details, recorded from infiniband-diags 44 at a port of the soft fabric")
  void details(String line, String golden) {
    String recorded = Golden.of(golden);
    core.portCounters.clear();
    for (PortCounter c : PortCounter.values()) {
      Matcher value = Pattern.compile("(?m)^" + c.label() + ":\\.+(\\d+)$").matcher(recorded);
      if (value.find()) {
        core.portCounters.put(c, Long.parseLong(value.group(1)));
      }
    }
    assertEquals(recorded, printed(line));
  }

  @Test
  @DisplayName("-a adds the ports up as port 255, -a -l prints each")
  void allPorts() {
    String sum =
        Golden.of("perfquery")
            .replace("port 1 (", "port 255 (")
            .replace("PortSelect:......................1", "PortSelect:......................255")
            .replace("648", "1296")
            .replace("....9", "....18");
    assertEquals(sum, printed("-a two"));
    String one = Golden.of("perfquery");
    String two =
        one.replace("port 1 (", "port 2 (")
            .replace("PortSelect:......................1", "PortSelect:......................2");
    assertEquals(one + two, printed("-a -l two"));
    assertEquals(one, printed("-l two")); // as the original, whose help says otherwise
    assertEquals(one + two, printed("-l two 1-2"));
    assertEquals(two, printed("two 2"));
  }

  @Test
  @DisplayName("-r resets after the reading, -R only resets, a mask selects")
  void resets() {
    assertEquals(Golden.of("perfquery"), printed("-r soft0"));
    assertNull(run("-R soft0 1 0xf000"));
    assertNull(run("-x -R two 1,2"));
    assertEquals(
        List.of("CLASSIC 1 18", "CLASSIC 1 4", "EXTENDED 1 8", "EXTENDED 2 8"), core.resets);
    core.resets.clear();
    run("-X -r soft0");
    assertNull(run("-E -R soft0 1 0x3"));
    assertEquals(List.of("XMIT_DATA_SL 1 16", "RCV_ERROR_DETAILS 1 2"), core.resets);
  }

  @Test
  @DisplayName("A5: -j")
  void json() {
    assertTrue(
        printed("-x -j soft0")
            .startsWith("[{\"ifname\":\"soft0\",\"lid\":3,\"port\":1,\"PortXmitData\":648,"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 2 | perfquery: iberror: failed: perfquery",
        "-x 3 7 | perfquery: iberror: failed: perfextquery",
        "3 abc | perfquery: iberror: failed: perfquery",
        "3 0 | perfquery: iberror: failed: perfquery",
        "-X 3 2 | perfquery: iberror: failed: cannot query PortXmitDataSL",
        "-S -a two | perfquery: iberror: failed: cannot query PortRcvDataSL",
        "-D -R 3 2 | perfquery: iberror: failed: cannot reset PortXmitDiscardDetails",
        "-T 3 1 | perfquery: iberror: failed: cannot query PortExtendedSpeedsCounters",
        "-c 3 1 | perfquery: iberror: failed: sampctlquery",
        "--rcvcc | perfquery: iberror: failed: cannot query PortRcvConCtrl",
        "zz | perfquery: iberror: failed: can't resolve destination port zz",
        "-C nosuch | perfquery: iberror: failed: Failed to open 'nosuch' port '0'",
        "-P 7 | perfquery: iberror: failed: Failed to open '(null)' port '7'",
      })
  @DisplayName("the original's complaint and its status 255")
  void refused(String line, String message) {
    CommandException e = assertThrows(CommandException.class, () -> run(line));
    assertEquals(message, e.getMessage());
    assertEquals(255, e.getAsInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-q", "--nosuch"})
  void wrongOption(String line) {
    CommandException e = assertThrows(CommandException.class, () -> run(line));
    assertTrue(e.getMessage().contains("\n\nUsage: perfquery [options]"), e.getMessage());
  }
}
