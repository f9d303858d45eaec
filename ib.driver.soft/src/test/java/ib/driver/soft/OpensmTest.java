package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.PacketCapture;
import ib.core.verbs.EventType;
import ib.core.verbs.PortState;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
    "An unmodified OpenSM manages the fabric, infiniband-diags see the truth (reference 4)")
final class OpensmTest extends OpensmWorld {
  private static final int ADAPTERS = 4;

  OpensmTest() {
    super(ADAPTERS);
  }

  static void await(String what, BooleanSupplier done) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "not within 5 minutes: " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  @DisplayName(
      "M8 4.3 it takes over, the diags see nodes, links, routes and counters; it goes: back")
  void managesAndShows() throws Exception {
    assertTrue(managedFrom(BUILTIN_LID));
    try (Opensm sm = Opensm.start(port, "soft0", dir)) {
      sm.awaitUp();
      awaitManagedFrom(1);
      for (int i = 0; i < ADAPTERS; i++) {
        assertTrue(
            events.contains("soft" + i + " " + EventType.CLIENT_REREGISTER), events.toString());
        assertTrue(events.contains("soft" + i + " " + EventType.SM_CHANGE), events.toString());
      }
      noLinkWentDown();
      shows();
      assertTrue(sm.alive(), "ibping has not ended it (linux-rdma/ibsim issue 38)");
      sm.kill();
      awaitManagedFrom(BUILTIN_LID);
    }
  }

  private void shows() throws Exception {
    String net = tool("ibnetdiscover");
    String links = tool("iblinkinfo");
    for (SoftDevice d : devices) {
      String guid = String.format("%016x", d.nodeGuid());
      int lid = d.queryPort(1).lid();
      assertTrue(net.contains("caguid=0x" + guid), net);
      assertTrue(net.contains("# \"" + d.name() + "\" lid " + lid + " 4xEDR"), net);
      assertTrue(links.contains("1[  ] \"" + d.name() + "\""), links);
    }
    assertTrue(tool("sminfo").contains("sm lid 1 "), "sminfo");
    assertTrue(tool("sminfo").contains("SMINFO_MASTER"), "sminfo");
    assertEquals(ADAPTERS, tool("ibhosts").lines().filter(l -> l.startsWith("Ca")).count());
    String switches = tool("ibswitches");
    assertTrue(switches.contains("ports 36 \"ib-sw0\" enhanced port 0"), switches);
    String swLid = switches.replaceAll("(?s).* lid (\\d+) .*", "$1");
    String routes = tool("ibroute " + swLid);
    assertTrue(routes.contains("0x0004 004"), routes);
    String trace = tool("ibtracert 1 3");
    assertTrue(trace.contains("ca port") && trace.contains("lid 3-3 \"soft2\""), trace);
    assertTrue(tool("smpquery nodedesc 2").contains("soft1"), "nodedesc");
    assertTrue(tool("smpquery portinfo 2").contains("LinkState:.......................Active"));
    assertTrue(tool("smpquery -D nodeinfo 0,1,3").contains("Channel Adapter"), "directed route");
    String combined = tool("smpquery -c nodedesc " + swLid + " 0,3");
    assertTrue(combined.contains("soft2"), combined); // by LID to the switch, then by a hop
    assertTrue(tool("smpquery pkeys 2").contains("0: 0xffff"), "pkeys");
    assertTrue(tool("perfquery -x 3 1").contains("PortXmitPkts:"), "perfquery");
    assertTrue(tool("saquery -g").contains("ff12:401b:ffff::ffff:ffff"), "saquery -g");
    String path = tool("saquery -p --src-to-dst 1:3");
    assertTrue(path.contains("dlid....................3"), path);
    assertTrue(tool("ibping -c 1 -L 3").contains("Pong from soft2 (Lid 3)"), "ibping");
  }

  @Test
  @DisplayName("M8 4.3 kill -9 of the master: the standby takes over")
  void takeover() throws Exception {
    Path second = Files.createDirectory(dir.resolve("second"));
    Path options = dir.resolve("opensm.conf");
    Files.writeString(options, "sminfo_polling_timeout 300\npolling_retry_number 2\n");
    String conf = options.toString();
    try (Opensm master = Opensm.start(port, "soft0", dir, "-F", conf, "-p", "10")) {
      master.awaitUp();
      try (Opensm standby = Opensm.start(port, "soft3", second, "-F", conf, "-p", "5")) {
        await("standby", () -> standby.logs("Entering STANDBY state"));
        assertTrue(managedFrom(1));
        events.clear();
        master.kill();
        awaitManagedFrom(4);
        await("reregistered", () -> events.contains("soft1 " + EventType.CLIENT_REREGISTER));
        assertTrue(events.contains("soft1 " + EventType.SM_CHANGE), events.toString());
      }
    }
  }

  /** Wherever in the table: a new one is added before the old one is taken away. */
  private static boolean has(SoftDevice device, int pkey) {
    return IntStream.range(0, 8).anyMatch(i -> device.pkey(1, i) == pkey);
  }

  @Test
  @DisplayName(
      "I11 partitions.conf: P_Key tables and PKEY_CHANGE, a limited member; SIGHUP after a change")
  void partitions() throws Exception {
    Path conf = dir.resolve("partitions.conf");
    Files.writeString(
        conf,
        "Default=0x7fff,ipoib:ALL=full;\n"
            + String.format(
                "blue=0x0001,ipoib:0x%016x=full,0x%016x=limited;%n",
                devices.get(1).nodeGuid() + 1, devices.get(2).nodeGuid() + 1));
    try (Opensm sm = Opensm.start(port, "soft0", dir, "-P", conf.toString())) {
      sm.awaitUp();
      await("full", () -> devices.get(1).pkey(1, 1) == 0x8001);
      await("limited", () -> devices.get(2).pkey(1, 1) == 0x0001);
      assertEquals(0, devices.get(3).pkey(1, 1));
      assertTrue(events.contains("soft1 " + EventType.PKEY_CHANGE), events.toString());
      assertTrue(tool("saquery -g").contains("ff12:401b:8001::ffff:ffff"), "second group");
      events.clear();
      Files.writeString(conf, Files.readString(conf).replace("blue=0x0001", "green=0x0002"));
      sm.reload();
      await("the other partition", () -> has(devices.get(1), 0x8002));
      await("not the one before", () -> !has(devices.get(1), 0x8001));
      await("PKEY_CHANGE", () -> events.contains("soft1 " + EventType.PKEY_CHANGE));
      assertEquals(0xffff, devices.get(1).pkey(1, 0), "the default one stays");
      String groups = tool("saquery -g");
      assertTrue(groups.contains("ff12:401b:8002::ffff:ffff"), groups);
    }
  }

  @Test
  @DisplayName("2 a capture shows SMPs, PMA and SA datagrams, and tshark finds none malformed")
  void captured() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    Path file = dir.resolve("mads.pcapng");
    PacketCapture capture = (PacketCapture) devices.get(1).offers().get(PacketCapture.class);
    try (PacketCapture.Session session =
            capture.start(
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PacketCapture.Filter.ALL);
        Opensm sm = Opensm.start(port, "soft0", dir)) {
      sm.awaitUp();
      awaitManagedFrom(1);
      for (String line :
          List.of(
              "smpquery nodeinfo 3",
              "smpquery -D portinfo 0,1,3",
              "smpquery pkeys 3",
              "smpquery switchinfo 3",
              "perfquery -x 3 1",
              "perfquery 3 1",
              "saquery -p --src-to-dst 1:3",
              "saquery -g")) {
        tool(line);
      }
      assertEquals(0, session.dropped());
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    for (String mgmtClass : List.of("0x01", "0x81", "0x03", "0x04")) {
      String seen = Opensm.tshark(dir, file, "infiniband.mad.mgmtclass == " + mgmtClass);
      assertTrue(seen.lines().count() >= 2, () -> "class " + mgmtClass + ": " + seen);
    }
  }

  @Test
  @DisplayName("4.4 trap 128: a link that comes back is ACTIVE again, by OpenSM's doing")
  void linkDownAndUp() throws Exception {
    try (Opensm sm = Opensm.start(port, "soft0", dir)) {
      sm.awaitUp();
      awaitManagedFrom(1);
      SoftDevice d = devices.get(2);
      d.change(ConfigReader.read("soft2", Map.of("link", "down")));
      assertEquals(PortState.DOWN, d.queryPort(1).state());
      await("heavy sweep", () -> sm.logs("num:128"));
      d.change(ConfigReader.read("soft2", Map.of()));
      awaitManagedFrom(1);
    }
  }
}
