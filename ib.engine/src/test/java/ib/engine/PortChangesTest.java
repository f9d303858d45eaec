package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Gid;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The driver reports every change of a port's state once, after the new state is in place. */
@DisplayName("S34: a driver tells of every change of its state")
class PortChangesTest {
  private final LoopWire wire = new LoopWire();
  private final List<String> told = new ArrayList<>();
  private final SoftHca hca =
      new SoftHca(
          HcaConfig.of(0x10, 0x11, 0x12),
          List.of(wire.end(), wire.end()),
          (type, port) -> told.add(type + " " + port + " " + seen(port)));
  private HcaPort port = hca.port(2);

  /** {@return the result of a query now} */
  private String seen(int number) {
    var attr = hca.queryPort(number);
    return attr.state()
        + " "
        + attr.lid()
        + " "
        + attr.smLid()
        + " "
        + Integer.toHexString(hca.queryPkey(number, 1))
        + " "
        + hca.queryGid(number, 1).equals(Gid.ZERO);
  }

  @AfterEach
  void close() {
    hca.shutdown();
  }

  private void expect(String event, Consumer<HcaPort> change) {
    change.accept(port);
    assertEquals(List.of(event), told);
    told.clear();
    change.accept(port); // once more is no change
    assertEquals(List.of(), told);
  }

  @Test
  @DisplayName("S34: link up is PORT_ACTIVE, link down is PORT_ERR; nothing between")
  void link() {
    port.state(PortState.INIT, PhysState.LINK_UP);
    port.state(PortState.ARMED, PhysState.LINK_UP);
    assertEquals(List.of(), told);
    expect("PORT_ACTIVE 2 ACTIVE 0 0 0 true", p -> p.state(PortState.ACTIVE, PhysState.LINK_UP));
    expect("PORT_ERR 2 DOWN 0 0 0 true", p -> p.state(PortState.DOWN, PhysState.POLLING));
  }

  @Test
  @DisplayName("S34: another SM is SM_CHANGE, another LID is LID_CHANGE")
  void addresses() {
    expect("SM_CHANGE 2 DOWN 0 7 0 true", p -> p.update(b -> b.smLid(7)));
    expect("LID_CHANGE 2 DOWN 9 7 0 true", p -> p.lid(9, 0));
    expect("LID_CHANGE 2 DOWN 9 7 0 true", p -> p.lid(9, 1));
  }

  @Test
  @DisplayName("S34: another table is GID_CHANGE or PKEY_CHANGE")
  void tables() {
    expect("PKEY_CHANGE 2 DOWN 0 0 8001 true", p -> p.pkeys(0xffff, 0x8001));
    expect("PKEY_CHANGE 2 DOWN 0 0 8002 true", p -> p.pkey(1, 0x8002));
    expect("GID_CHANGE 2 DOWN 0 0 8002 false", p -> p.gid(1, Gid.linkLocal(5)));
  }
}
