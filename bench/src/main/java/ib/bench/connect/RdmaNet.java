package ib.bench.connect;

import ib.cm.CmClient;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.ClientRegistration;
import ib.core.spi.StandaloneFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * RDMA CM between two devices of a fabric: RC queue pairs of depth 1, that share a completion queue
 * at each side.
 */
final class RdmaNet implements Net {
  private final String name;
  private final StandaloneFabric fabric;
  private final ClientRegistration manager;
  private final RdmaCm server;
  private final RdmaCm client;
  private final Factory mine = new Factory(true);
  private final Factory theirs = new Factory(true);
  private final RdmaListener ear;
  private final InetSocketAddress to;
  private final RdmaOptions options;

  /** Listens at the second device, and connects from the first one. */
  RdmaNet(String name, StandaloneFabric fabric, InetAddress one, InetAddress two) {
    this.name = name;
    this.fabric = fabric;
    CmClient cm = CmClient.create();
    manager = fabric.core().registerClient(cm);
    server = RdmaCm.open(fabric.core(), cm, "server");
    client = RdmaCm.open(fabric.core(), cm, "client");
    RdmaHandler end =
        new RdmaHandler() {
          @Override
          public void ended(RdmaConnection connection, RdmaEnd how) {
            connection.close();
          }
        };
    ear =
        server.listen(
            new InetSocketAddress(two, 0),
            PortSpace.TCP,
            0,
            request -> request.accept(RdmaOptions.rc(), theirs, end));
    to = new InetSocketAddress(two, ear.localAddress().getPort());
    options = RdmaOptions.rc().from(new InetSocketAddress(one, 0));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Making begin() {
    CompletableFuture<RdmaConnection> made = new CompletableFuture<>();
    RdmaHandler handler =
        new RdmaHandler() {
          @Override
          public void established(RdmaConnection connection) {
            made.complete(connection);
          }

          @Override
          public void ended(RdmaConnection connection, RdmaEnd how) {
            made.completeExceptionally(how.why());
          }
        };
    RdmaConnection connection = client.start(to, options, mine, handler);
    return () -> {
      made.get();
      return new Made() {
        @Override
        public void disconnect() {
          connection.disconnect();
        }

        @Override
        public void close() throws Exception {
          connection.ended().get();
          connection.close();
        }
      };
    };
  }

  @Override
  public void close() throws InterruptedException {
    ear.close();
    mine.close();
    theirs.close();
    client.close();
    server.close();
    manager.unregister();
    fabric.close();
  }
}
