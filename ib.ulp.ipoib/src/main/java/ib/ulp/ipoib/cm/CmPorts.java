package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import java.util.HashMap;
import java.util.Map;

/**
 * The agents of all ports: interfaces of one port share one, because a port has one agent of a
 * class. Any thread may call in.
 */
public final class CmPorts {
  private record Key(IbDevice device, int port) {}

  private static final class Shared {
    final CmPort port;
    int users;

    Shared(CmPort port) {
      this.port = port;
    }
  }

  private final Map<Key, Shared> ports = new HashMap<>(); // under itself

  public CmPorts() {}

  /**
   * Opens the agent of a port, or shares it.
   *
   * @param device the client's handle
   * @param port from 1
   * @return the caller closes it, on any thread but the agent's
   * @throws ib.core.verbs.IbException when the port cannot have it
   */
  public CmService open(IbDevice device, int port) {
    Key key = new Key(device, port);
    synchronized (ports) {
      Shared shared = ports.get(key);
      if (shared == null) {
        shared = new Shared(new CmPort(device, port));
        ports.put(key, shared);
      }
      shared.users++;
      return new Share(key, shared);
    }
  }

  /** One user's share. */
  private final class Share implements CmService {
    private final Key key;
    private final Shared shared;

    Share(Key key, Shared shared) {
      this.key = key;
      this.shared = shared;
    }

    @Override
    public int name(CmParty party) {
      return shared.port.name(party);
    }

    @Override
    public void release(int id) {
      shared.port.release(id);
    }

    @Override
    public void listen(int udQpn, CmParty party) {
      shared.port.listen(udQpn, party);
    }

    @Override
    public void unlisten(int udQpn) {
      shared.port.unlisten(udQpn);
    }

    @Override
    public long transaction(int id) {
      return shared.port.transaction(id);
    }

    @Override
    public void send(long tid, CmMessage message, AhAttr to, int pkeyIndex) {
      shared.port.send(tid, message, to, pkeyIndex);
    }

    @Override
    public void close() {
      synchronized (ports) {
        if (--shared.users == 0) {
          ports.remove(key);
          shared.port.close(); // its callbacks only hand tasks on: the fence is short
        }
      }
    }
  }
}
