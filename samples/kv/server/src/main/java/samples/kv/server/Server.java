package samples.kv.server;

import ib.core.verbs.*;
import java.util.HashSet;
import java.util.Set;
import samples.kv.api.KeyValueServer;
import samples.kv.api.StoreException;

/**
 * The server on one device. A client's thread connects, the thread that removes the device closes:
 * the lock of this object keeps them apart. Who holds it calls verbs only, never a client.
 */
public final class Server implements KeyValueServer, AutoCloseable {
  private final IbDevice device;
  private final Table table;
  private final ProtectionDomain pd;
  private final MemoryRegion region;
  private final Set<Session> sessions = new HashSet<>();
  private boolean closed;

  /**
   * Registers the table on a device.
   *
   * @param device the device
   * @param table what the clients read and change
   */
  public Server(IbDevice device, Table table) {
    this.device = device;
    this.table = table;
    pd = device.allocPd();
    MemoryRegion registered = null;
    try {
      registered = pd.registerMemory(table.memory(), Access.REMOTE_READ); // clients never write
    } finally {
      if (registered == null) {
        pd.close();
      }
    }
    region = registered;
  }

  @Override
  public synchronized Connection connect(QueuePair client) {
    if (closed) {
      throw new StoreException(StoreException.Reason.NO_SERVER, "device " + device + " goes");
    }
    Session session = new Session(table);
    boolean connected = false;
    try {
      session.connect(pd, client);
      connected = true;
    } finally {
      if (!connected) {
        session.close();
      }
    }
    sessions.add(session);
    return new Connection() {
      @Override
      public int rkey() {
        return region.rkey();
      }

      @Override
      public long address() {
        return region.iova();
      }

      @Override
      public int buckets() {
        return table.buckets();
      }

      @Override
      public void close() {
        end(session);
      }
    };
  }

  private synchronized void end(Session session) {
    if (sessions.remove(session)) {
      session.close();
    }
  }

  /** Gives back everything that was made on the device; what is stored stays. */
  @Override
  public synchronized void close() {
    closed = true;
    sessions.forEach(Session::close);
    sessions.clear();
    region.close();
    pd.close();
  }
}
