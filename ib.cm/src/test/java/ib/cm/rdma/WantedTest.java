package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmHandler;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.client.Incidents;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a service asks of the connection manager of a port that listens by address. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WantedTest {
  private final List<Integer> backlogs = new ArrayList<>();
  private final BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();
  private @Nullable Predicate<InetAddress> wanted;
  private @Nullable CmHandler handler;

  /** Takes the same listener at each address, and writes down the backlogs. */
  private final CmListener listener =
      new CmListener() {
        @Override
        public long serviceId() {
          return PortSpace.TCP.serviceId(7000);
        }

        @Override
        public void backlog(int requests) {
          backlogs.add(requests);
        }

        @Override
        public void close() {}
      };

  @SuppressWarnings("unchecked")
  private CmListener listen(Object... args) {
    int at = args[1] instanceof Predicate ? 1 : 2;
    wanted = (Predicate<InetAddress>) args[at];
    listener.backlog((int) args[at + 1]);
    handler = args[at + 2] instanceof CmHandler connections ? connections : null;
    return listener;
  }

  /** {@return a port whose connection manager does nothing but listen} */
  private CmPort port() {
    ClassLoader loader = CmPort.class.getClassLoader();
    Object made =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {CmPort.class},
            (self, method, args) ->
                switch (method.getName()) {
                  case "listen", "serve" -> listen(args);
                  case "types" -> Set.of(QpType.RC);
                  case "hashCode" -> System.identityHashCode(self);
                  case "toString" -> "port";
                  default -> throw new IllegalStateException(method + " is not asked for");
                });
    return (CmPort) made;
  }

  private boolean wants(InetAddress address) {
    assertNotNull(wanted, "it does not listen");
    return wanted.test(address);
  }

  @Test
  @DisplayName("API-6: a service wants the addresses of its listeners, with a wildcard one all")
  void addresses() throws Exception {
    try (World world = new World()) {
      InetAddress own = world.address("soft1");
      Site site = new Site(world.fabric.device("soft1"), 1, port(), null);
      Service service = service(PortSpace.TCP, Map.of());
      service.attach(List.of(site));
      assertEquals(List.of(), backlogs, "no listener has an address of the port");
      service.add(listener(world, own, QpType.RC));
      service.attach(List.of(site));
      assertEquals(List.of(true, false), List.of(wants(own), wants(other())));
      service.add(listener(world, InetAddress.getByName("0.0.0.0"), QpType.RC));
      service.attach(List.of(site));
      assertEquals(List.of(true, true), List.of(wants(own), wants(other())));
      assertEquals(List.of(3, 6), backlogs, "the port looks again");
      service.detach(site);
    }
  }

  @Test
  @DisplayName("API-6: an address that stands for a GID is wanted by that GID")
  void translated() throws Exception {
    InetAddress named = InetAddress.getByName("10.9.8.7");
    try (World world = new World()) {
      IbDevice device = world.fabric.device("soft1");
      Gid gid = device.gid(1, 0);
      Service service = service(PortSpace.UDP, Map.of(named, gid));
      service.add(listener(world, named, QpType.UD));
      Site site = new Site(device, 1, port(), null);
      service.attach(List.of(site));
      assertEquals(List.of(true, false), List.of(wants(world.address("soft1")), wants(other())));
      service.detach(site);
    }
  }

  @Test
  @DisplayName("K22: an address is wanted where the port connects the listener's queue pairs")
  void types() throws Exception {
    try (World world = new World()) {
      InetAddress own = world.address("soft1");
      Site site = new Site(world.fabric.device("soft1"), 1, port(), null);
      Service service = service(PortSpace.TCP, Map.of());
      service.add(listener(world, own, QpType.UC));
      service.attach(List.of(site));
      assertEquals(List.of(), backlogs, "the port connects RC only");
      service.add(listener(world, InetAddress.getByName("0.0.0.0"), QpType.RC));
      service.attach(List.of(site));
      assertEquals(List.of(3), backlogs, "of the one that it serves");
      assertEquals(List.of(true, true), List.of(wants(own), wants(other())));
      asks(site, own);
      RdmaRequest asked = requests.poll(1, TimeUnit.MINUTES);
      assertNotNull(asked, "the wildcard listener hears of it");
      assertTrue(asked.listener.localAddress().getAddress().isAnyLocalAddress());
      service.detach(site);
    }
  }

  /** A peer asks for a connection of type RC to an address. */
  private void asks(Site site, InetAddress to) {
    assertNotNull(handler, "it does not listen");
    CmPath path = CmPath.back(site.device(), AhAttr.ofLid(1, 9, 0));
    byte[] data = new CmaHeader(4711, to, to).before(new byte[0], CmKind.REQ);
    long service = PortSpace.TCP.serviceId(7000);
    CmEndpoint peer = CmEndpoint.of(5, 6);
    handler.heard(connection(), new CmEvent.Requested(service, path, peer, CmTerms.DEFAULT, data));
  }

  private static CmConnection connection() {
    Class<?>[] as = {CmConnection.class};
    return (CmConnection)
        Proxy.newProxyInstance(
            CmConnection.class.getClassLoader(),
            as,
            (self, method, args) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  default -> throw new IllegalStateException(method + " is not asked for");
                });
  }

  private static Service service(PortSpace space, Map<InetAddress, Gid> addresses) {
    Incidents incidents = new Incidents("test", line -> {});
    return new Service(space, 7000, new AddressBook(addresses), incidents);
  }

  private static InetAddress other() throws Exception {
    return InetAddress.getByName("fd00::77");
  }

  private RdmaListener listener(World world, InetAddress at, QpType type) {
    InetSocketAddress there = new InetSocketAddress(at, 7000);
    return new RdmaListener(world.server, there, Set.of(type), 3, requests::add);
  }
}
