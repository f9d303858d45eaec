package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server and a client, two devices, and what they have made. */
final class World implements AutoCloseable {
  final StandaloneFabric fabric;
  final IbCore core;
  final CmClient cm;
  final RdmaCm server;
  final RdmaCm client;

  /** The requests that a listener of {@link #listen} has heard. */
  final BlockingQueue<RdmaRequest> requests = new LinkedBlockingQueue<>();

  private final ClientRegistration registered;

  /** Two devices of a fabric. */
  World() {
    this(SoftFabric.open("soft0", "soft1"));
  }

  World(StandaloneFabric fabric) {
    this.fabric = fabric;
    core = fabric.core();
    cm = CmClient.create();
    registered = core.registerClient(cm);
    server = RdmaCm.open(core, cm, "server");
    client = RdmaCm.open(core, cm, "client");
  }

  /** {@return the address of a device} */
  InetAddress address(String device) {
    try {
      return InetAddress.getByAddress(fabric.device(device).gid(1, 0).toBytes());
    } catch (UnknownHostException e) {
      return fail(e);
    }
  }

  /** Listens at a free port of all devices. */
  RdmaListener listen() {
    return listen(PortSpace.TCP);
  }

  /** Listens at a free port of a port space, of all devices. */
  RdmaListener listen(PortSpace space) {
    return server.listen(new InetSocketAddress(0), space, 4, requests::add);
  }

  /** {@return the address of a listener at the second device} */
  InetSocketAddress at(RdmaListener listener) {
    return new InetSocketAddress(address("soft1"), listener.localAddress().getPort());
  }

  /** {@return the next request} */
  RdmaRequest request() throws InterruptedException {
    RdmaRequest asked = requests.poll(1, TimeUnit.MINUTES);
    return asked == null ? fail("no request") : asked;
  }

  @Override
  public void close() {
    client.close();
    server.close();
    registered.unregister();
    assertEquals(List.of(), core.violations(), "the contract");
    fabric.close();
  }
}
