package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbTimedOutException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager agents of all ports. The interfaces of a port share one agent, because a
 * port has one agent per management class. Any thread may call. The table's monitor guards the
 * table and is not held while an agent is opened or closed. One thread at a time does that for a
 * port; other threads of the same port wait, those of other ports do not.
 */
public final class CmPorts {
  /** Opens the agent of a port, {@code CmPort::new}. */
  @FunctionalInterface
  interface Opener {
    CmPort open(IbDevice device, int port, int udQpn);
  }

  private record Key(IbDevice device, int port) {}

  /** The agent of one port and the number of its users. */
  private static final class Seat {
    @Nullable CmPort port; // null while a thread opens or closes the agent
    int users;
  }

  /** How long a thread waits for another thread that opens or closes the agent of the same port. */
  private static final long CHANGE_NS = 30_000_000_000L;

  private final Opener opener;
  private final Map<Key, Seat> seats = new HashMap<>(); // guarded by itself

  public CmPorts() {
    this(CmPort::new);
  }

  /** Creates a table that opens agents with {@code opener}. */
  CmPorts(Opener opener) {
    this.opener = opener;
  }

  /**
   * Opens the agent of a port, or shares an open one. Until the interface listens, its requests are
   * dropped, and the peer repeats them. Blocks while another thread opens or closes the agent of
   * this port, at most 30 s.
   *
   * @param device the client's handle
   * @param port from 1
   * @param udQpn datagram queue pair number of the interface
   * @param counts counts messages that the port refuses because they belong to no interface
   * @return the interface's share of the agent; the caller closes it, on any thread but the agent's
   * @throws ib.core.verbs.IbException when the port cannot register the agent
   */
  public CmService open(IbDevice device, int port, int udQpn, Refusals counts) {
    Key key = new Key(device, port);
    Seat seat = new Seat();
    CmPort shared = take(key, seat, udQpn);
    if (shared != null) {
      return new Share(key, shared, udQpn, counts);
    }
    CmPort made = null;
    try {
      made = opener.open(device, port, udQpn);
      return new Share(key, made, udQpn, counts);
    } finally {
      synchronized (seats) {
        if (made == null) {
          seats.remove(key);
        }
        seat.port = made;
        seat.users = 1;
        seats.notifyAll();
      }
    }
  }

  /**
   * {@return the open agent; null if the caller must open it, in which case the table now contains
   * {@code fresh}}
   */
  private @Nullable CmPort take(Key key, Seat fresh, int udQpn) {
    long deadline = System.nanoTime() + CHANGE_NS;
    synchronized (seats) {
      while (true) {
        Seat seat = seats.putIfAbsent(key, fresh);
        if (seat == null) {
          return null;
        }
        if (seat.port != null) {
          seat.port.expect(udQpn);
          seat.users++;
          return seat.port;
        }
        await(key, deadline - System.nanoTime());
      }
    }
  }

  private void await(Key key, long ns) {
    try {
      if (ns <= 0) {
        throw new IbTimedOutException(
            "connection manager of " + key.device.name() + "/" + key.port,
            "another interface opens or closes it",
            "see the log");
      }
      TimeUnit.NANOSECONDS.timedWait(seats, ns);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IbTimedOutException("connection manager", "interrupted", "call again");
    }
  }

  private void leave(Key key, CmPort port) {
    synchronized (seats) {
      Seat seat = seats.get(key);
      if (seat == null || --seat.users > 0) {
        return;
      }
      seat.port = null;
    }
    try {
      port.close();
    } finally {
      synchronized (seats) {
        seats.remove(key);
        seats.notifyAll();
      }
    }
  }

  /** One interface's share of a port's agent. */
  private final class Share implements CmService {
    private final Key key;
    private final CmPort port;
    private final int udQpn;
    private final Refusals counts;

    Share(Key key, CmPort port, int udQpn, Refusals counts) {
      this.key = key;
      this.port = port;
      this.udQpn = udQpn;
      this.counts = counts;
      port.addCounts(counts);
    }

    @Override
    public int name(CmParty party) {
      return port.name(party);
    }

    @Override
    public void release(int id) {
      port.release(id);
    }

    @Override
    public void listen(int qpn, CmParty party) {
      port.listen(qpn, party);
    }

    @Override
    public void unlisten(int qpn) {
      port.unlisten(qpn);
    }

    @Override
    public long transaction(int id) {
      return port.transaction(id);
    }

    @Override
    public void send(long tid, CmMessage message, AhAttr to, int pkeyIndex) {
      port.send(tid, message, to, pkeyIndex);
    }

    @Override
    public void close() {
      port.forget(udQpn);
      port.removeCounts(counts);
      leave(key, port);
    }
  }
}
