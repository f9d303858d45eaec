package ib.core.internal.sa;

import ib.core.client.IbClient;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.device.Services;
import ib.core.internal.mad.Agent;
import ib.core.internal.mad.World;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.sa.SaClient;
import ib.core.verbs.Cap;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.LinkLayer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Client 1 of the core (M1): the subnet administrator for all InfiniBand ports. */
public final class SaLayer implements IbClient {
  /** Name of this client. */
  public static final String NAME = "sa";

  private final World world;

  /**
   * Makes the client.
   *
   * @param world time and threads
   */
  public SaLayer(World world) {
    this.world = world;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    if (!device.has(Cap.GSI)) {
      return null;
    }
    OnDevice sa = new OnDevice(BoundDevice.of(device, "sa.add"), world);
    sa.device.parts().services().sa(sa);
    return sa;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof OnDevice sa) {
      sa.device.parts().services().sa(null);
      sa.close();
    }
  }

  private static final class OnDevice implements Services.Sa {
    private final BoundDevice device;
    private final Map<Integer, SaPort> ports = new HashMap<>();
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

    OnDevice(BoundDevice device, World world) {
      this.device = device;
      for (int p = 1; p <= device.portCount(); p++) {
        if (device.port(p).linkLayer() == LinkLayer.INFINIBAND) {
          ports.put(p, new SaPort(device, p, world));
        }
      }
    }

    @Override
    public SaClient open(IbDevice owner, int port) {
      SaPort p = ports.get(port);
      if (p == null) {
        throw new IbNotSupportedException(
            "SaClient.open on " + owner.name() + "/" + port,
            "a port whose link layer is "
                + owner.port(port).linkLayer()
                + " has no subnet administrator",
            "an InfiniBand port");
      }
      BoundDevice bound = (BoundDevice) owner;
      Agent agent = (Agent) MadAgent.register(owner, port, MadRegistration.sa(), MadHandler.NONE);
      bound.owner().returned(agent); // what the client has is the session, not its agent
      Session s = new Session(bound, p, agent, sessions::remove);
      sessions.add(s);
      bound.owner().lent(s, s.toString());
      return s;
    }

    @Override
    public void close(IbDevice owner) {
      for (Session s : sessions) {
        if (s.belongsTo(owner)) {
          s.end();
        }
      }
    }

    void close() {
      sessions.forEach(Session::end);
      ports.values().forEach(SaPort::close);
    }
  }
}
