package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import ib.cm.CmListener;
import ib.cm.CmPort;
import ib.core.client.Incidents;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a service asks of the connection manager of a port that listens by address. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WantedTest {
  private final List<Integer> backlogs = new ArrayList<>();
  private @Nullable Predicate<InetAddress> wanted;

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
    wanted = (Predicate<InetAddress>) args[1];
    listener.backlog((int) args[2]);
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
      service.add(listener(world, own));
      service.attach(List.of(site));
      assertEquals(List.of(true, false), List.of(wants(own), wants(other())));
      service.add(listener(world, InetAddress.getByName("0.0.0.0")));
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
      service.add(listener(world, named));
      Site site = new Site(device, 1, port(), null);
      service.attach(List.of(site));
      assertEquals(List.of(true, false), List.of(wants(world.address("soft1")), wants(other())));
      service.detach(site);
    }
  }

  private static Service service(PortSpace space, Map<InetAddress, Gid> addresses) {
    Incidents incidents = new Incidents("test", line -> {});
    return new Service(space, 7000, new AddressBook(addresses), incidents);
  }

  private static InetAddress other() throws Exception {
    return InetAddress.getByName("fd00::77");
  }

  private static RdmaListener listener(World world, InetAddress at) {
    return new RdmaListener(world.server, new InetSocketAddress(at, 7000), 3, r -> {});
  }
}
