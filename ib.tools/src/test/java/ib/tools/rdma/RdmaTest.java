package ib.tools.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ResourceRecord;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.output.Printable;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Golden;
import ib.tools.testing.Rxe;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 2, section 4: rdma, byte for byte")
class RdmaTest {
  private final FakeCore core = new FakeCore(Rxe.rxe0());

  @BeforeEach
  void objects() {
    add(Kind.PD, 0, 1, Map.of("users", 1));
    add(
        Kind.CQ,
        0,
        2,
        members("cqe", 1023, "users", 2, "poll-ctx", "WORKQUEUE", "adaptive-moderation", "off"));
    add(
        Kind.QP,
        1,
        0,
        members("port", 1, "lqpn", 1, "type", QpType.GSI, "state", QpState.RTS, "sq-psn", 0));
  }

  private void add(Kind kind, long id, int users, Map<String, Object> details) {
    core.resources.add(new ResourceRecord("rxe0", kind, id, "ib_core", users, details));
  }

  private static Map<String, Object> members(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private Object run(String line) {
    return Rdma.run(
        core, List.of(), List.of(), System.out, line.isEmpty() ? new String[0] : line.split(" "));
  }

  private String printed(String line) {
    Object value = run(line);
    return (value instanceof Printable p ? p.text() : value.toString()) + "\n";
  }

  private String failure(String line) {
    CommandException e = assertThrows(CommandException.class, () -> run(line));
    assertEquals(1, e.getAsInt());
    return e.getMessage();
  }

  /** The recorded device has a network interface, of which our midlayer knows nothing. */
  private static String withoutNetdev(String name) {
    return Golden.of(name)
        .replace("netdev eth0 ", "")
        .replace("netdev_index 2 ", "")
        .replace(",\n        \"netdev\": \"eth0\",\n        \"netdev_index\": 2", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "d", "dev show", "dev list", "dev show rxe0", "dev sh rxe0"})
  void dev(String line) {
    assertEquals(Golden.of("rdma_dev"), printed(line));
  }

  @Test
  void devDetails() {
    String expected =
        Golden.of("rdma_dev").stripTrailing()
            + " adaptive-moderation off \n    caps: <BAD_PKEY_CNTR, ";
    assertTrue(printed("-d dev").startsWith(expected), printed("-d dev"));
    assertTrue(
        printed("-d dev").endsWith("MEM_MGT_EXTENSIONS, MEM_WINDOW_TYPE_2B>\n"), printed("-d dev"));
  }

  @ParameterizedTest
  @CsvSource({
    "link, rdma_link",
    "link show rxe0/1, rdma_link",
    "-d link, rdma_link_d",
    "link -d, rdma_link_d"
  })
  void link(String line, String golden) {
    assertEquals(withoutNetdev(golden), printed(line));
  }

  @Test
  void linkJson() {
    assertEquals(withoutNetdev("rdma_link_j"), printed("-jp link"));
    assertEquals(
        "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"port\":1,\"state\":\"ACTIVE\",\"physical_state\":\"LINK_UP\"}]\n",
        printed("-j link"));
  }

  @Test
  @DisplayName("an InfiniBand link has a subnet prefix and LIDs")
  void infiniband() {
    core.devices.clear();
    core.devices.add(Rxe.hca("soft0", 0, 1));
    assertEquals(
        "link soft0/1 subnet_prefix fe80:0000:0000:0000 lid 3 sm_lid 1 lmc 0 state ACTIVE physical_state LINK_UP \n",
        printed("link"));
    assertTrue(printed("link -d").endsWith("LINK_UP \n    caps: <SM>\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"res", "resource", "res show", "res show rxe0", "r"})
  void summary(String line) {
    assertEquals(Golden.of("rdma_res"), printed(line));
  }

  @ParameterizedTest
  @CsvSource({
    "res show cq, rdma_res_cq",
    "res show cq dev rxe0, rdma_res_cq",
    "res show cq dev rxe0 poll-ctx workqueue users 1-3, rdma_res_cq",
    "res show pd, rdma_res_pd",
    "res show qp, rdma_res_qp",
    "res show qp link rxe0, rdma_res_qp",
    "res show qp link rxe0/1, rdma_res_qp",
    "res show qp lqpn 1 type gsi, rdma_res_qp",
  })
  void objects(String line, String golden) {
    // our domains have no DMA key of the host
    assertEquals(Golden.of(golden).replace("local_dma_lkey 0x125 ", ""), printed(line));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "res show qp link rxe0/-",
        "res show qp lqpn 2",
        "res show qp rqpn 1",
        "res show mr",
        "res show ctx"
      })
  void nothing(String line) {
    assertEquals("\n", printed(line));
    assertTrue(((Listing<?>) run(line)).isEmpty());
  }

  @Test
  @DisplayName("keys are hexadecimal, and unsigned")
  void regions() {
    add(Kind.MR, 4, 0, members("rkey", -1, "lkey", 0x10, "iova", -2L, "mrlen", 4096L, "pdn", 0L));
    assertEquals(
        "dev rxe0 mrn 4 rkey 0xffffffff lkey 0x10 iova 0xfffffffffffffffe mrlen 4096 pdn 0 comm [ib_core] \n",
        printed("res show mr"));
  }

  @Test
  @DisplayName(
      "users J4: a queue pair without a port is listed under -, connected ones name their peer")
  void queuePairs() {
    add(Kind.QP, 2, 0, members("lqpn", 17, "type", QpType.RC, "state", QpState.RESET, "sq-psn", 0));
    add(
        Kind.QP,
        3,
        0,
        members(
            "port", 1, "lqpn", 5095046, "rqpn", 9551930, "type", "RC", "state", "RTS", "sq-psn", 7,
            "pdn", 0));
    assertEquals(
        """
        link rxe0/- lqpn 17 type RC state RESET sq-psn 0 comm [ib_core]\s
        link rxe0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core]\s
        link rxe0/1 lqpn 5095046 rqpn 9551930 type RC state RTS sq-psn 7 pdn 0 comm [ib_core]\s
        """,
        printed("res show qp"));
    Listing<?> rows = (Listing<?>) run("res show qp lqpn 5095046");
    assertEquals(9551930L, ((Map<?, ?>) rows.getFirst()).get("rqpn"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "statistic show link rxe0/1",
        "stat",
        "stat show",
        "stat show link",
        "stat show link rxe0"
      })
  void statistic(String line) {
    String[] words = Golden.of("rdma_stat").split(" ");
    for (int i = 2; i + 1 < words.length; i += 2) {
      core.counters.put(words[i], Long.parseLong(words[i + 1]));
    }
    assertEquals(Golden.of("rdma_stat"), printed(line));
    assertTrue(
        printed("-p " + line).startsWith("link rxe0/1 \n    sent_pkts 0 \n    rcvd_pkts 0 \n"));
    assertTrue(
        printed("-j " + line).startsWith("[{\"ifname\":\"rxe0\",\"port\":1,\"sent_pkts\":0,"));
  }

  @Test
  @DisplayName("values, not only text: rows are maps")
  void values() {
    Map<?, ?> row = (Map<?, ?>) ((Listing<?>) run("res")).getFirst();
    assertEquals(1L, row.get("qp"));
    assertEquals("rxe0", row.get("ifname"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "foo                  | Unknown object 'foo'.",
        "dev foo              | Unknown dev command 'foo'.",
        "dev show nosuch      | Wrong device name - nosuch",
        "dev show rxe0 x      | Unknown parameter 'x'.",
        "dev set              | Please provide device name.",
        "link show nosuch/1   | Wrong device name",
        "link show rxe0       | Wrong device name",
        "link show rxe0/2     | Wrong device name",
        "link show rxe0/x     | Wrong device name",
        "res foo              | Unknown resource command 'foo'.",
        "res show foo         | Unknown parameter 'foo'.",
        "res show qp lqpn     | No filter data was supplied to filter option lqpn",
        "res show qp a b c    | There is filter option without data",
        "res show qp foo 1    | Unsupported filter option: foo",
        "res show qp lqpn x   | lqpn filter accepts \"1234567890,-\" characters only",
        "res show cq dev no   | Wrong device name - no",
        "stat foo             | Unknown statistic command 'foo'.",
        "stat qp x            | Unknown statistic qp command 'x'.",
        "stat qp show foo 1   | Unsupported filter option: foo",
        "sys x                | Unknown system command 'x'.",
        "sys show x           | Unknown parameter 'x'.",
        "monitor x            | Unknown parameter 'x'.",
        "monitor count 0      | rdma monitor: count takes a number from 1 to 999999999",
        "monitor seconds      | rdma monitor: seconds takes a number from 1 to 999999999",
        "-r dev               | rdma: --raw is not supported here",
      })
  @DisplayName("wrong words: the original's message, and its status")
  void wrongWords(String line, String message) {
    assertEquals(message, failure(line));
  }

  @Test
  void usage() {
    assertEquals("Unknown option.\n" + Usage.of("rdma"), failure("-x"));
    assertEquals(Usage.of("rdma") + "\n", printed(""));
    assertEquals(Usage.of("rdma") + "\n", printed("help"));
    assertTrue(
        printed("res help").startsWith("Usage: rdma resource\n          resource show [DEV]\n"));
    assertTrue(failure("dev set rxe0 name rxe0").contains("rxe0 is in use"));
  }
}
