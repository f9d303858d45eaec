package ib.tools.lesson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.StandaloneDriver;
import ib.core.wire.BthOpcode;
import ib.kit.capture.CaptureReader;
import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With {@code -Dib.manual=write} the captures of the runs become {@code docs/captures}. */
@DisplayName("U25: a lesson runs what it speaks of, and shows its packets")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LessonsTest {
  private static final Path KEPT = Path.of("../docs/captures");
  private static final int MAX_BYTES = 64 * 1024;
  private static final Map<Integer, Report> RUNS = new ConcurrentHashMap<>();
  @TempDir static Path folder;

  private static StandaloneDriver driver() {
    return StandaloneDriver.find("ib.driver.soft", LessonsTest.class.getClassLoader());
  }

  private static Path file(int number) {
    return folder.resolve(Lessons.fileName(number));
  }

  private static Report run(int number) {
    return RUNS.computeIfAbsent(
        number, n -> (Report) Lessons.run(LessonsTest::driver, "-w", file(n).toString(), "" + n));
  }

  /** Direction and opcode of each packet, and what of a loss, a drop or a repetition there is. */
  private static List<String> shape(List<Seen> packets) {
    return packets.stream().map(LessonsTest::shape).toList();
  }

  private static String shape(Seen packet) {
    String way = packet.incoming() ? "<- " : "-> ";
    assertTrue(packet.verdict().startsWith("ICRC ok"), packet.line());
    String rest = packet.verdict().replaceAll("ICRC ok(; )?|CM .*| of PSN .*", "");
    return (way + BthOpcode.of(packet.opcode()) + " " + rest).strip();
  }

  /** How often a packet was sent again is the machine's matter. */
  private static Set<String> kinds(List<Seen> packets) {
    return packets.stream()
        .map(p -> shape(p).replaceFirst("retransmission \\d+", "retransmission"))
        .collect(Collectors.toSet());
  }

  private static void expect(Report report, String... packets) {
    assertEquals(List.of(packets), shape(report.packets()));
  }

  private static void expectResult(Report report, String... lines) {
    assertEquals(List.of(lines), report.results());
  }

  @Test
  @DisplayName("1: a SEND and its acknowledgement, with the same PSN")
  void send() {
    Report report = run(1);
    expect(report, "-> RC_SEND_ONLY", "<- RC_ACKNOWLEDGE");
    assertEquals(report.packets().getFirst().psn(), report.packets().getLast().psn());
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS, 17 bytes: \"hello, RDMA world\"");
  }

  @Test
  @DisplayName("2: an RNR NAK, then the same packet again")
  void rnr() {
    Report report = run(2);
    assertEquals(
        List.of("-> RC_SEND_ONLY", "<- RC_ACKNOWLEDGE", "-> RC_SEND_ONLY retransmission 1"),
        shape(report.packets()).subList(0, 3));
    assertTrue(report.packets().get(1).text().contains("RNR NAK, wait 40.96 ms"));
    assertTrue(report.packets().getLast().text().contains("ACK, MSN 1"));
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS: \"are you ready?\"");
  }

  @Test
  @DisplayName("3: a READ and a response of three packets, no acknowledgement")
  void read() {
    Report report = run(3);
    expect(
        report,
        "-> RC_RDMA_READ_REQUEST",
        "<- RC_RDMA_READ_RESPONSE_FIRST",
        "<- RC_RDMA_READ_RESPONSE_MIDDLE",
        "<- RC_RDMA_READ_RESPONSE_LAST");
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson0: 2500 bytes are the same as in the peer's memory",
        "lesson1: 0 completions");
  }

  @Test
  @DisplayName("4: a lost packet, a NAK, a retransmission; three messages arrive in order")
  void loss() {
    Report report = run(4);
    List<String> shape = shape(report.packets());
    int lost = shape.indexOf("-> RC_SEND_ONLY injected fault: loss");
    int again = shape.indexOf("-> RC_SEND_ONLY retransmission 1");
    assertTrue(lost > 0 && again > lost, shape.toString());
    assertEquals(report.packets().get(lost).psn(), report.packets().get(again).psn());
    assertTrue(report.packets().stream().anyMatch(p -> p.text().contains("PSN sequence error")));
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson0: request 2 completed with SUCCESS",
        "lesson0: request 3 completed with SUCCESS",
        "lesson1: receive 1 completed with SUCCESS",
        "lesson1: receive 2 completed with SUCCESS",
        "lesson1: receive 3 completed with SUCCESS");
  }

  @Test
  @DisplayName("5: a datagram with a wrong Q_Key is dropped, and its sender does not notice")
  void datagram() {
    Report report = run(5);
    expect(report, "<- UD_SEND_ONLY dropped: drop_qkey", "<- UD_SEND_ONLY");
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson0: request 2 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS, 49 bytes: \"right key\"",
        "lesson1: qkey violations of the port: 1");
  }

  @Test
  @DisplayName("6: a join, its answer, and one datagram for two members")
  void multicast() {
    Report report = run(6);
    expect(report, "-> UD_SEND_ONLY", "<- UD_SEND_ONLY", "<- UD_SEND_ONLY");
    assertTrue(report.packets().get(0).text().contains("SubnAdm Set of McMemberRecord"));
    assertTrue(report.packets().get(1).text().contains("SubnAdm GetResp of McMemberRecord"));
    assertTrue(report.packets().get(2).text().contains("to QP 0xffffff"));
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS: \"to all of you\"",
        "lesson2: receive 7 completed with SUCCESS: \"to all of you\"");
  }

  @Test
  @DisplayName("7: atomics return what was there before, also when they change nothing")
  void atomic() {
    Report report = run(7);
    expect(
        report,
        "-> RC_FETCH_ADD",
        "<- RC_ATOMIC_ACKNOWLEDGE",
        "-> RC_COMPARE_SWAP",
        "<- RC_ATOMIC_ACKNOWLEDGE",
        "-> RC_COMPARE_SWAP",
        "<- RC_ATOMIC_ACKNOWLEDGE");
    expectResult(
        report,
        "lesson0: request 1, FETCH_ADD 2, completed with SUCCESS; it was 40",
        "lesson0: request 2, COMPARE_SWAP 42 by 1000, completed with SUCCESS; it was 42",
        "lesson0: request 3, COMPARE_SWAP 40 by 0, completed with SUCCESS; it was 1000",
        "lesson1: the number is 1000");
  }

  @Test
  @DisplayName("8: the smaller MTU of two ports cuts a message into three packets")
  void mtu() {
    Report report = run(8);
    expect(report, "-> RC_SEND_FIRST", "-> RC_SEND_MIDDLE", "-> RC_SEND_LAST", "<- RC_ACKNOWLEDGE");
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS, 2500 bytes");
  }

  @Test
  @DisplayName("9: after the unplug of its peer a request is sent 8 times, then it fails")
  void unplug() {
    Report report = run(9);
    List<String> expected = new ArrayList<>(List.of("-> RC_SEND_ONLY", "<- RC_ACKNOWLEDGE"));
    String lost = "-> RC_SEND_ONLY dropped: no way to its destination";
    expected.add(lost);
    IntStream.rangeClosed(1, 7).forEach(i -> expected.add(lost + "; retransmission " + i));
    assertEquals(expected, shape(report.packets()));
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: first its client \"lesson\" was removed, 0 objects leaked",
        "lesson0: request 2 completed with RETRY_EXC_ERR; the queue pair is in state ERR");
  }

  @Test
  @DisplayName("10: directed routes find the nodes, the administrator knows the LID, which stays")
  void subnet() {
    Report report = run(10);
    String first = report.packets().getFirst().text();
    String last = report.packets().getLast().text();
    assertTrue(first.contains("Subn (directed) Get of NODE_DESCRIPTION"), first);
    assertTrue(last.contains("Subn (by LID) GetResp of NODE_DESCRIPTION"), last);
    assertTrue(report.text().contains("SubnAdm Get of PathRecord"));
    List<String> results = report.results();
    assertTrue(results.get(0).matches("smpquery -D nodedesc 0,1: .*sw0"), results.get(0));
    assertTrue(results.get(1).matches("smpquery -D nodedesc 0,1,2: .*lesson1"), results.get(1));
    assertTrue(results.get(3).matches("smpquery nodedesc [0-9]+: .*lesson1"), results.get(3));
    assertTrue(results.get(5).matches("lesson0 without: state DOWN, .*"), results.get(5));
    assertEquals(
        results.get(4).replace("with its cable", "with it again"), results.get(6), "its LID");
  }

  @Test
  @DisplayName("11: a packet of a foreign partition is dropped by the port")
  void partition() {
    Report report = run(11);
    expect(report, "<- UD_SEND_ONLY dropped: drop_pkey", "<- UD_SEND_ONLY");
    assertTrue(report.packets().getFirst().text().contains("P_Key 0x8002"));
    assertTrue(report.packets().getLast().text().contains("P_Key 0x8001"));
    expectResult(
        report,
        "lesson0: request 1 completed with SUCCESS",
        "lesson0: request 2 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS: \"from 0x8001\"",
        "lesson1: P_Key violations of the port: 1");
  }

  @Test
  @DisplayName("12: REQ, REP, RTU, a message, DREQ, DREP")
  void connection() {
    Report report = run(12);
    List<String> messages =
        report.packets().stream()
            .map(p -> p.text().replaceAll(".*CM Send of ", "").replaceAll(" to QP.*", ""))
            .toList();
    assertEquals(
        List.of("REQ", "REP", "RTU", "RC_SEND_ONLY", "RC_ACKNOWLEDGE", "DREQ", "DREP"), messages);
    String words = ".*CM REQ id .*, service 0x1000000000000012, .*, private data 68656c6c6f\n.*";
    assertTrue(report.text().matches("(?s)" + words + "CM DREQ id .*"), report.text()); // hello
    expectResult(
        report,
        "lesson1: a request with \"hello\" for service 0x1000000000000012",
        "lesson0: accepted, with \"welcome\"",
        "lesson0: request 1 completed with SUCCESS",
        "lesson1: receive 7 completed with SUCCESS: \"we are connected\"",
        "lesson0: the connection has ended: DISCONNECTED");
  }

  private static Stream<Integer> numbers() {
    return IntStream.rangeClosed(1, Lessons.count()).boxed();
  }

  private static List<Seen> read(Path file) throws IOException {
    Trace trace = new Trace();
    try (CaptureReader reader = new CaptureReader(trace)) {
      reader.write(ByteBuffer.wrap(Files.readAllBytes(file)));
    }
    return trace.packets();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("numbers")
  @DisplayName("-w writes the packets that are shown; docs/captures holds packets of these kinds")
  void captures(int number) throws IOException {
    Report report = run(number);
    assertEquals(report.packets(), read(file(number)));
    Path kept = KEPT.resolve(Lessons.fileName(number));
    if ("write".equals(System.getProperty("ib.manual"))) {
      Files.createDirectories(KEPT);
      Files.write(kept, Files.readAllBytes(file(number))); // readable by all, unlike the run's own
    }
    assertTrue(Files.size(kept) < MAX_BYTES, "small");
    assertEquals(kinds(report.packets()), kinds(read(kept)));
  }

  @Test
  @DisplayName("tshark reads the packets of docs/captures, and nothing is malformed (needs tshark)")
  void tshark() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "needs tshark");
    Path all = folder.resolve("all.pcapng"); // sections one after another are a capture too
    List<String> expected = new ArrayList<>();
    try (OutputStream out = Files.newOutputStream(all)) {
      for (int n = 1; n <= Lessons.count(); n++) {
        Path kept = KEPT.resolve(Lessons.fileName(n));
        Files.copy(kept, out);
        read(kept).forEach(p -> expected.add(p.opcode() + "|" + p.verdict() + "|"));
      }
    }
    Process tshark =
        new ProcessBuilder(
                "tshark -n -r FILE -T fields -E separator=| -e infiniband.bth.opcode -e frame.comment"
                    .concat(" -e _ws.malformed")
                    .replace("FILE", all.toString())
                    .split(" "))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    tshark.getOutputStream().close();
    String out = new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(tshark.waitFor(10, TimeUnit.MINUTES));
    assertEquals(expected, out.lines().toList());
  }

  @Test
  @DisplayName("without a number the lessons are listed, one line each")
  void contents() {
    List<String> lines = Lessons.run(LessonsTest::driver).text().lines().toList();
    assertEquals(Lessons.count() + 1, lines.size());
    assertTrue(lines.get(3).matches(" 4  loss.*"), lines.get(3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "13", "-1", "x", "99999999999", "1 2", "-w /nosuch/folder/x 1", "-w x"})
  @DisplayName("wrong command lines are refused in words, and open no device")
  void refused(String line) {
    CommandException e =
        assertThrows(
            CommandException.class, () -> Lessons.run(LessonsTest::driver, line.split(" ")));
    assertTrue(e.getMessage().startsWith("ib:lesson"), e.getMessage());
    assertFalse(Files.exists(Path.of("x")));
  }

  @Test
  @DisplayName("B16: a file that is there stays as it was, without --force")
  void overwritesNothing() throws IOException {
    Path file = Files.writeString(folder.resolve("precious"), "precious");
    String[] line = {"-w", file.toString(), "1"};
    assertThrows(CommandException.class, () -> Lessons.run(LessonsTest::driver, line));
    assertEquals("precious", Files.readString(file));
    Lessons.run(LessonsTest::driver, "--force", "-w", file.toString(), "1");
    assertEquals(2, read(file).size());
  }
}
