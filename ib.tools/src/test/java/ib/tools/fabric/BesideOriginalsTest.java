package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.MadMethod;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.Gid;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 5, section 3: infiniband-diags and these commands, side by side on one fabric")
@Timeout(600)
class BesideOriginalsTest {
  private static final int ADAPTERS = 40; // more than one switch has ports for

  private static final Gid GROUP = Gid.parse("ff12:401b:ffff::42");

  @TempDir Path dir;

  /** Asks from a port of the fabric, as its own software. */
  private static final class FromPort implements SmpQuery, MadConsumer {
    private final Fabric fabric;
    private final Subnet subnet;
    private final NodePort port;
    private @Nullable MemorySegment answer;
    private long tid = 0xA3L << 48;

    FromPort(Fabric fabric, Subnet subnet, NodePort port) {
      this.fabric = fabric;
      this.subnet = subnet;
      this.port = port;
      synchronized (fabric) {
        subnet.add(port, this);
      }
    }

    @Override
    public boolean take(NodePort at, Datagram d) {
      boolean mine = d.response() && Smp.TRANSACTION_ID.of(d.mad) == tid;
      answer = mine ? d.mad : answer;
      return mine;
    }

    @Override
    public MemorySegment get(Route to, SmpAttribute attribute, int modifier)
        throws NoAnswerException {
      return set(MadMethod.GET, to, attribute, modifier, null);
    }

    @Override
    public MemorySegment set(Route to, SmpAttribute attribute, int modifier, MemorySegment data)
        throws NoAnswerException {
      return set(MadMethod.SET, to, attribute, modifier, data);
    }

    private MemorySegment set(
        int method, Route to, SmpAttribute attribute, int modifier, @Nullable MemorySegment data)
        throws NoAnswerException {
      MemorySegment mad = Datagram.smp(method, attribute, ++tid);
      Smp.ATTRIBUTE_MODIFIER.set(mad, modifier);
      if (data != null) {
        Smp.data(mad).copyFrom(data);
      }
      Datagram d = new Datagram(mad);
      d.slid = port.lid();
      if (to instanceof Route.Directed route) {
        Smp.MGMT_CLASS.set(mad, Smp.CLASS_DIRECTED);
        Smp.DR_SLID.set(mad, Smp.PERMISSIVE_LID);
        Smp.DR_DLID.set(mad, Smp.PERMISSIVE_LID);
        Smp.HOP_COUNT.set(mad, route.hops().size());
        Smp.HOP_POINTER.set(mad, route.hops().isEmpty() ? 0 : 1);
        for (int i = 0; i < route.hops().size(); i++) {
          Smp.initialPath(mad, i + 1, route.hops().get(i));
        }
        d.slid = Smp.PERMISSIVE_LID;
        d.dlid = Smp.PERMISSIVE_LID;
      } else if (to instanceof Route.Lid lid) {
        d.dlid = lid.lid();
      }
      synchronized (fabric) {
        answer = null;
        subnet.send(port, d);
        subnet.carry();
      }
      MemorySegment got = answer;
      if (got == null || Smp.STATUS.in(got) != 0) {
        throw new NoAnswerException("dport (" + to.text() + ")");
      }
      return Smp.data(got);
    }

    @Override
    public int lid() {
      return port.lid();
    }

    @Override
    public int smLid() {
      return PortInfo.SM_LID.in(port.info());
    }

    @Override
    public void close() {
      synchronized (fabric) {
        subnet.remove(port, this);
      }
    }
  }

  private static String counted(String text) {
    return text.replaceAll("activity count \\d+", "activity count n");
  }

  private static void join(Subnet subnet, FabricPort port, int mlid) {
    synchronized (subnet.fabric()) {
      subnet.manager().attached(port.place(), GROUP, mlid, true);
      subnet.settle();
    }
  }

  @Test
  @DisplayName("smpquery, ibtracert -m, ibroute -M and sminfo print the same, byte for byte")
  void same() throws Exception {
    Original.assumeThere();
    Fabric fabric = BuiltinSm.newFabric();
    List<FabricPort> ports = new ArrayList<>();
    for (int i = 0; i < ADAPTERS; i++) {
      ports.add(fabric.plug("node" + i, 0x100L * (i + 1), 1, "sw").getFirst());
      ports.getLast().plugCable();
    }
    Subnet subnet = fabric.subnetOf("node1");
    int group = 0xC003;
    for (int member : List.of(0, 2, ADAPTERS - 1)) {
      join(subnet, ports.get(member), group);
    }
    int last = ports.getLast().lid();
    int far = ports.getLast().place().peer().node().port(0).lid();
    assertTrue(far != ports.getFirst().place().peer().node().port(0).lid(), "two switches");
    int udp = Original.freePort();
    Original original = new Original(dir, udp, "node1");
    List<String> errors = new ArrayList<>();
    try (IbsimDoor door = new IbsimDoor(fabric, udp, errors::add);
        FromPort query = new FromPort(fabric, subnet, ports.get(1).place())) {
      for (String line :
          List.of(
              "smpquery vlarb 1",
              "smpquery vlarb 1 1",
              "smpquery vlarb " + far,
              "smpquery vlarb " + far + " 3",
              "smpquery sl2vl " + far + " 2",
              "smpquery pkeys " + far + " 1",
              "smpquery -D portinfo 0,1 36",
              "ibtracert 1 " + last,
              "ibtracert -n " + last + " 3",
              "ibtracert 1 " + far,
              "ibtracert -m 0xc003 1 " + last,
              "ibtracert -n -m 0xc003 1 " + last,
              "ibtracert -m 0xc003 " + last + " 3",
              "ibtracert -m 0xc003 1 3",
              "ibroute -M " + far + " 0xc001 0xc005",
              "ibroute -n " + far + " 3 9",
              "ibroute " + far + " 2 5",
              "sminfo",
              "sminfo -s 3 -p 9 -a 4 " + query.smLid(),
              "sminfo -s 3 " + query.smLid() + " 5",
              "sminfo -D 0,1")) {
        Original.Ran ran = original.run(line);
        assertEquals(0, ran.status(), ran::err);
        assertEquals(counted(ran.out()), counted(ours(query, line)), line);
      }
      assertEquals(List.of(), door.clients().stream().filter(c -> !c.equals("node1")).toList());
    }
    ports.forEach(FabricPort::close);
    assertEquals(List.of(), errors);
  }

  private static String ours(SmpQuery query, String line) {
    String[] words = line.split(" ", 2);
    Command command =
        switch (words[0]) {
          case "smpquery" -> Commands.SMPQUERY;
          case "ibtracert" -> Commands.IBTRACERT;
          case "ibroute" -> Commands.IBROUTE;
          default -> Commands.SMINFO;
        };
    String[] args = words.length > 1 ? words[1].split(" ") : new String[0];
    return command.run(query, command.parse(args)) + "\n";
  }
}
