package ib.tools.diags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.output.Listing;
import ib.tools.output.Printable;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("D11: perfquery, rdma statistic, JMX and Flight Recorder read one registry")
class OneRegistryTest {
  private static final String DEVICE = "counted0";

  @Test
  void sameNumbers(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("counters.jfr");
    try (SoftFabric fabric = SoftFabric.open(DEVICE, "counted1");
        Recording recording = new Recording()) {
      PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
      PingPong.run(
          fabric.core(),
          new WarmUp(List.of(), List.of()),
          Kind.RC,
          nowhere,
          nowhere,
          "-d",
          DEVICE,
          "-n",
          "10",
          "-s",
          "8192",
          "--no-warmup",
          "counted1");
      recording.enable("ib.Counter").with("period", "endChunk");
      recording.start();
      recording.stop();
      recording.dump(file);

      Map<String, Long> statistic = statistic(fabric);
      Map<String, Long> classic = perfquery(fabric);
      Map<String, Long> extended = perfquery(fabric, "-x");
      Map<String, Long> jmx = jmx();
      Map<String, Long> jfr = jfr(file);

      assertTrue(extended.get("PortXmitPkts") >= 20, extended.toString());
      assertEquals(extended.get("PortXmitPkts"), statistic.get("sent_pkts"));
      assertEquals(extended.get("PortRcvPkts"), statistic.get("rcvd_pkts"));
      Set<String> names = new TreeSet<>(statistic.keySet());
      names.addAll(classic.keySet());
      names.addAll(extended.keySet());
      assertEquals(names, new TreeSet<>(jmx.keySet()));
      assertEquals(jmx, jfr);
      statistic.forEach((name, value) -> assertEquals(value, jmx.get(name), name));
      classic.forEach((name, value) -> assertEquals(value, jmx.get(name), name));
      extended.forEach((name, value) -> assertEquals(value, jmx.get(name), name));
    }
  }

  @Test
  @DisplayName("issue 5, 1: rdma statistic mad shows what the MAD layer of a port counts")
  void management() {
    try (SoftFabric fabric = SoftFabric.open(DEVICE)) {
      Listing<?> shown =
          (Listing<?>)
              Rdma.run(
                  fabric.core(),
                  List.of(),
                  List.of(),
                  System.out,
                  "statistic",
                  "mad",
                  DEVICE + "/1");
      Map<?, ?> line = (Map<?, ?>) shown.getFirst();
      assertEquals(DEVICE, line.get("ifname"));
      assertTrue(line.containsKey("mad_rmpp_retransmits"), line.toString());
      for (String name : fabric.core().managementCounters(DEVICE, 1).keySet()) {
        assertTrue(line.containsKey(name), () -> name + " in " + line);
      }
    }
  }

  private static Map<String, Long> statistic(SoftFabric fabric) {
    Listing<?> rows =
        (Listing<?>)
            Rdma.run(
                fabric.core(),
                List.of(),
                List.of(),
                System.out,
                "statistic",
                "show",
                "link",
                DEVICE + "/1");
    Map<String, Long> read = new LinkedHashMap<>();
    ((Map<?, ?>) rows.getFirst())
        .forEach(
            (name, value) -> {
              if (!name.equals("ifname") && !name.equals("port")) {
                read.put((String) name, (Long) value);
              }
            });
    return read;
  }

  private static Map<String, Long> perfquery(SoftFabric fabric, String... options) {
    List<String> args = new java.util.ArrayList<>(List.of(options));
    args.add(DEVICE);
    String text = ((Printable) Perfquery.run(fabric.core(), args.toArray(String[]::new))).text();
    return text.lines()
        .filter(l -> !l.startsWith("#") && !l.matches(".*Select2?:.*"))
        .collect(
            Collectors.toMap(
                l -> l.substring(0, l.indexOf(':')),
                l -> Long.parseLong(l.replaceAll(".*\\.", ""))));
  }

  private static Map<String, Long> jmx() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("ib:type=Device,name=" + DEVICE);
    Map<String, Long> read = new LinkedHashMap<>();
    for (var attribute : server.getMBeanInfo(name).getAttributes()) {
      Object value = server.getAttribute(name, attribute.getName());
      read.put(attribute.getName().replaceFirst("^port1\\.", ""), (Long) value);
    }
    return read;
  }

  private static Map<String, Long> jfr(Path file) throws Exception {
    Map<String, Long> read = new LinkedHashMap<>();
    for (RecordedEvent e : RecordingFile.readAllEvents(file)) {
      if (e.getEventType().getName().equals("ib.Counter") && e.getString("device").equals(DEVICE)) {
        read.put(e.getString("counter"), e.getLong("value"));
      }
    }
    return read;
  }

  @Test
  @DisplayName("api 9: posts, completions and state changes are recorded when a recording asks")
  void events(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("events.jfr");
    try (SoftFabric fabric = SoftFabric.open("jfr3", "jfr4");
        Recording recording = new Recording()) {
      for (String event : List.of("ib.Post", "ib.Completion", "ib.QpState")) {
        recording.enable(event);
      }
      recording.start();
      PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
      WarmUp warmUp = new WarmUp(List.of(), List.of());
      String[] args = {"-d", "jfr3", "-n", "10", "--no-warmup", "jfr4"};
      PingPong.run(fabric.core(), warmUp, Kind.RC, nowhere, nowhere, args);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertEquals(20, count(events, "ib.Post", "opcode", "SEND"), "10 there, 10 back");
    assertEquals(2, count(events, "ib.QpState", "to", "RTS"));
    List<RecordedEvent> good =
        events.stream()
            .filter(e -> e.getEventType().getName().equals("ib.Completion"))
            .filter(e -> e.getString("status").equals("SUCCESS"))
            .toList();
    assertEquals(20, count(good, "ib.Completion", "opcode", "SEND"));
    assertEquals(20, count(good, "ib.Completion", "opcode", "RECV"));
  }

  private static long count(List<RecordedEvent> events, String type, String field, String value) {
    return events.stream()
        .filter(e -> e.getEventType().getName().equals(type) && e.getString(field).equals(value))
        .count();
  }
}
