package ib.tools.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.ResourceRecord;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("U11: rdma system, monitor and statistic qp")
class SystemAndStatisticTest {
  private final FakeCore core = new FakeCore(Rxe.rxe0());
  private final List<QpDiagnosis> diagnoses = new ArrayList<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private Object run(String line) {
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return Rdma.run(core, diagnoses, List.of(), out, line.split(" "));
  }

  private String printed(String line) {
    Object value = run(line);
    return (value instanceof Printable p ? p.text() : value.toString()) + "\n";
  }

  private String failure(String line) {
    return assertThrows(CommandException.class, () -> run(line)).getMessage();
  }

  private void queuePair(int qpn, QpType type) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("port", 1);
    details.put("lqpn", qpn);
    details.put("type", type);
    core.resources.add(new ResourceRecord("rxe0", Kind.QP, qpn, "ib_core", 0, details));
  }

  @Test
  @DisplayName("U11: rdma system shows the modes, none of which can be set")
  void system() {
    String modes = "netns shared privileged-qkey on monitor on copy-on-fork on \n";
    assertEquals(modes, printed("system"));
    assertEquals(modes, printed("sys show netns"));
    assertEquals(
        "[{\"netns\":\"shared\",\"privileged-qkey\":true,\"monitor\":true,\"copy-on-fork\":true}]\n",
        printed("-j system"));
    assertTrue(failure("system set netns exclusive").contains("are fixed here"));
  }

  @Test
  @DisplayName("U11: rdma statistic qp shows the counters of each queue pair")
  void statisticOfQueuePairs() {
    queuePair(1, QpType.GSI);
    queuePair(17, QpType.RC);
    diagnoses.add(new Known());
    String gsi = "link rxe0/1 cntn 1 qp-type GSI comm [ib_core] sent_pkts 3 \n    LQPN: <1>\n";
    String rc =
        "link rxe0/1 cntn 17 qp-type RC comm [ib_core] sent_pkts 51 drop_pkey 2 \n"
            + "    LQPN: <17>\n";
    assertEquals(gsi + rc, printed("stat qp show"));
    assertEquals(gsi + rc, printed("stat qp"));
    assertEquals(rc, printed("stat qp show link rxe0/1 lqpn 17"));
    assertEquals(rc, printed("stat qp show link rxe0/ qp-type rc"));
    assertEquals(gsi, printed("stat qp show link rxe0/1 cntn 1-9"));
    assertEquals(
        "[{\"ifname\":\"rxe0\",\"port\":1,\"cntn\":17,\"qp-type\":\"RC\",\"comm\":\"ib_core\","
            + "\"sent_pkts\":51,\"drop_pkey\":2,\"lqpn\":[17]}]\n",
        printed("-j stat qp show link rxe0/1 lqpn 17"));
    assertTrue(failure("stat qp set link rxe0/1 auto type on").contains("counts for itself"));
  }

  /** Diagnoses two queue pairs; the fabric's counters belong to the port and are not shown. */
  private static final class Known implements QpDiagnosis {
    @Override
    public String device() {
      return "rxe0";
    }

    @Override
    public Optional<Report> diagnose(int qpn) {
      Map<String, Long> counters = new LinkedHashMap<>();
      counters.put("sent_pkts", 3L * qpn);
      if (qpn == 17) {
        counters.put("drop_pkey", 2L);
        counters.put("fabric_drop_partition_in", 9L);
      }
      QpType type = qpn == 1 ? QpType.GSI : QpType.RC;
      return Optional.of(
          new Report(
              "rxe0",
              qpn,
              type,
              QpState.RTS,
              0,
              List.of(),
              List.of(),
              "",
              -1,
              counters,
              "",
              List.of()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "monitor count 3 | [REGISTER]\tdev 4 soft0 / [RENAME]\tdev 4 soft0 / [UNREGISTER]\tdev 0 rxe0",
        "monitor seconds 1 count 1 | [REGISTER]\tdev 4 soft0",
        "-j monitor count 1 | {\"event_type\":\"[REGISTER]\",\"rdma_index\":4,\"rdma_dev\":\"soft0\"}",
      })
  @DisplayName("rdma monitor prints devices that come, go and change their names, and no others")
  void monitor(String line, String expected) {
    core.whenRegistered = this::plugRenameUnplug;
    run(line);
    assertEquals(expected, bytes.toString(StandardCharsets.UTF_8).strip().replace("\n", " / "));
    assertEquals(0, core.registered(), "the client is still there");
  }

  private void plugRenameUnplug(IbClient client) {
    IbDevice device = Rxe.hca("soft0", 4, 1);
    client.add(device);
    client.renamed(device, null, "old");
    client.remove(core.device("rxe0").orElseThrow(), null);
  }

  @Test
  @DisplayName("Ctrl-C ends rdma monitor like a success")
  void interrupt() {
    core.whenRegistered = client -> Thread.currentThread().interrupt();
    run("monitor");
    assertEquals(0, core.registered());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "_dev", "_link", "_resource", "_statistic", "_system", "_monitor"})
  @DisplayName("U5: each command that a usage text of rdma names exists")
  void usageNamesWhatExists(String page) {
    int tried = 0;
    for (String line : Usage.of("rdma" + page).lines().toList()) {
      List<String> words =
          Arrays.stream(line.replaceAll("^(Usage:)? +(rdma )?(\\[[^]]*] )?", "").split(" +"))
              .takeWhile(w -> w.matches("[a-z_]+"))
              .toList();
      if (line.matches("[a-zE].*") || words.isEmpty() || words.getFirst().equals("monitor")) {
        continue; // an explanation; or the command that waits
      }
      tried++;
      try {
        run(String.join(" ", words));
      } catch (CommandException e) {
        String why = String.valueOf(e.getMessage());
        assertTrue(why.matches("(Please provide|No filter).*"), line + ": " + why);
      }
    }
    assertTrue(tried > 0 || page.isEmpty() || page.equals("_monitor"), "no command found");
  }
}
