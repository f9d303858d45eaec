package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("section 7, containers: child interfaces, several of one partition, their names (I11)")
@Timeout(600)
class ChildTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private static final LinkConfig CONFIG = new LinkConfig(0, 100, 200, 1500);
  private final Lab lab = new Lab(2, CONFIG, name -> Backend.inJvm());

  @AfterEach
  void close() {
    lab.close();
  }

  private static NetIf address(NetDevice device, int host) {
    NetIf stack = (NetIf) device.host();
    stack.address(Ip.parse("10.98.0." + host), 24);
    stack.address(Ip.parse("fd98::" + host), 64);
    return stack;
  }

  private static void reach(NetIf from, int host) throws Exception {
    assertTrue(from.ping(Ip.parse("10.98.0." + host), 56, PATIENCE_NS).get() > 0);
    assertTrue(from.ping(Ip.parse("fd98::" + host), 56, PATIENCE_NS).get() > 0);
  }

  @Test
  @DisplayName(
      "ipoib-cni#23, pod to pod on one host: two children of one port and partition reach each"
          + " other, and one of another host")
  void sameHost() throws Exception {
    lab.nodes.forEach(node -> node.port().pkeys(0xffff, 0x8001));
    NetIf first = address(lab.ipoib.createChild("ib0", 0x8001, "pod1"), 1);
    NetIf second = address(lab.ipoib.createChild("ib0", 0x0001, "pod2"), 2);
    NetIf other = address(lab.ipoib.createChild("ib1", 1), 3);
    for (String name : List.of("pod1", "pod2", "ib1.8001")) {
      lab.up(name);
    }
    assertNotEquals(
        lab.device("pod1").state().address().qpn(), lab.device("pod2").state().address().qpn());
    reach(first, 2);
    reach(second, 1);
    reach(other, 1);
    reach(other, 2);
    lab.ipoib.deleteChild("pod1");
    reach(second, 3);
  }

  @Test
  @DisplayName("a child of the parent's own partition, for a container, with a name of its own")
  void parentsPartition() throws Exception {
    NetIf pod = address(lab.ipoib.createChild("ib0", 0xffff, "pod"), 1);
    NetIf parent = address(lab.device("ib0"), 2);
    lab.up("pod");
    lab.up("ib0");
    reach(pod, 2);
    reach(parent, 1);
  }

  @Test
  @DisplayName("ipoib-cni#29: a child has what its parent has: queues and MTU, but its own P_Key")
  void inherits() {
    lab.nodes.getFirst().port().pkeys(0xffff, 0x8001);
    NetDevice child = lab.ipoib.createChild("ib0", 1);
    assertEquals(CONFIG.withPkey(0x8001), child.config);
    assertEquals(1500, lab.up("ib0.8001").state().mtu());
    assertEquals(lab.device("ib0").where(), child.where());
    assertEquals(lab.device("ib0").state().address().gid(), child.state().address().gid());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ib0.000a", "ib0.800a", "ib0.a", "ib0.800A"})
  @DisplayName("linux-system-roles#493: ib0.000a is ib0.800a: one interface, found by either name")
  void normalised(String name) {
    lab.ipoib.createChild("ib0", 0x000a);
    assertThrows(IbExistsException.class, () -> lab.ipoib.createChild("ib0", 0x800a));
    assertTrue(NetifCommand.run(lab.ipoib, "show", name).startsWith("ib0.800a: <"));
    lab.ipoib.deleteChild(name);
    assertEquals(2, lab.ipoib.interfaces().size());
  }

  @Test
  @DisplayName("linux-system-roles#493: both spellings in the configuration are one child")
  void configured() {
    assertEquals(
        List.of(0x800a, 0x8001),
        IpoibConfig.read(Map.of("children", "0x000a, 0x800a, 1, 0x8001")).children());
  }

  @Test
  @DisplayName("I12: umcast is off unless it is configured")
  void umcast() {
    assertFalse(IpoibConfig.read(Map.of()).link().umcast());
    assertTrue(IpoibConfig.read(Map.of("umcast", true)).link().withPkey(1).umcast());
    assertThrows(IbInvalidException.class, () -> IpoibConfig.read(Map.of("umcast", "perhaps")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ib7", "ib0", "1st", "a b", "sixteen-letters-"})
  @DisplayName("invalid names, and names of interfaces of devices, are refused")
  void names(String name) {
    assertThrows(IbInvalidException.class, () -> lab.ipoib.createChild("ib0", 1, name));
  }

  @Test
  @DisplayName("a name is unique, and free again after its interface was deleted")
  void once() {
    lab.ipoib.createChild("ib0", 1, "pod");
    assertThrows(IbExistsException.class, () -> lab.ipoib.createChild("ib1", 2, "pod"));
    lab.ipoib.deleteChild("pod");
    assertEquals("pod", NetifCommand.run(lab.ipoib, "add", "ib1", "0x2", "pod"));
    lab.unplug(1);
    lab.ipoib.createChild("ib0", 2, "pod");
  }

  @Test
  @DisplayName("ib:netif without a configuration says what to do; a mistake is answered by usage")
  void helpful() {
    assertTrue(NetifCommand.unconfigured().contains("conf/ib.ulp.ipoib.cfg"));
    assertTrue(NetifCommand.unconfigured("help").startsWith("usage: ib:netif"));
    for (String wrong : List.of("ping", "fly")) {
      RuntimeException failure =
          assertThrows(
              RuntimeException.class, () -> NetifCommand.run(lab.ipoib, wrong, "ib0"), wrong);
      assertTrue(failure.toString().startsWith("usage: ib:netif"), failure.toString());
    }
    lab.unplug(1);
    lab.unplug(0);
    assertTrue(NetifCommand.run(lab.ipoib).startsWith("no interfaces: no device"));
  }
}
