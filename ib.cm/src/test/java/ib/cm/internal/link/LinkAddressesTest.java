package ib.cm.internal.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmListener;
import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A port of several addresses. */
@DisplayName("issue 17, V8: the addresses at which the host's connection manager listens")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinkAddressesTest {
  private static final long PORT_7000 = 0x0106_1b58L;

  private final StandaloneFabric fabric =
      StandaloneFabric.options("ib.driver.rxe")
          .device("rxe0", Map.of("address", "127.0.44.1, 127.0.44.2, 127.0.44.3"))
          .open();
  private final DeviceLease lease = fabric.core().lease("rxe0", "test");
  private final FakeConnector host = new FakeConnector();
  private final LinkShare share = new LinkShare(lease.device(), 1, host, s -> {});
  private final Set<InetAddress> wanted = new CopyOnWriteArraySet<>();
  private InetAddress one;
  private InetAddress two;
  private InetAddress three;

  @BeforeEach
  void addresses() throws Exception {
    one = InetAddress.getByName("127.0.44.1");
    two = InetAddress.getByName("127.0.44.2");
    three = InetAddress.getByName("127.0.44.3");
  }

  @AfterEach
  void close() {
    share.close();
    lease.close();
    fabric.close();
  }

  private CmListener listen() {
    return share.listen(PORT_7000, Set.of(QpType.RC), wanted::contains, 1, (c, e) -> {});
  }

  private Set<InetAddress> open() {
    return host.listeners.keySet().stream().map(a -> a.getAddress()).collect(Collectors.toSet());
  }

  @Test
  @DisplayName(
      "only at those that are wanted: the kernel rejects with 28 a client of the address wanted"
          + " that comes while others listen and it does not yet")
  void wanted() {
    wanted.add(two);
    CmListener listener = listen();
    assertEquals(Set.of(two), open());
    wanted.add(one);
    listener.backlog(1);
    assertEquals(Set.of(one, two), open());
    wanted.remove(two);
    listener.backlog(1);
    assertEquals(Set.of(one), open());
    listener.close();
    assertEquals(Set.of(), open());
    share.listen(PORT_7000, 1, (c, e) -> {});
    assertEquals(Set.of(one, two, three), open(), "all, without a choice");
  }

  @Test
  @DisplayName(
      "another program at an address that is wanted is an error, at another one it is none")
  void taken() {
    host.taken.add(two);
    wanted.add(one);
    CmListener listener = listen();
    wanted.add(two);
    wanted.add(three);
    assertThrows(IbExistsException.class, () -> listener.backlog(1));
    assertEquals(Set.of(one, three), open(), "it listens where it can");
    listener.close();
    assertThrows(IbExistsException.class, this::listen);
    assertTrue(open().isEmpty(), "nothing is left of a listener that was refused");
  }
}
