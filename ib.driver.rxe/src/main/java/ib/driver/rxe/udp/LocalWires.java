package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.engine.wire.Epoch;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wires of one driver by address and UDP port. What one of them sends to an address of another
 * one need not leave this JVM: requests of connected queue pairs are executed at the peer, and
 * other packets are handed over in memory (Linux's rxe does the same within a host). Link-local
 * addresses are not in the book, since they mean another host on each interface; nor are multicast
 * groups.
 *
 * <p>The monitor of this object guards the book, which is replaced by a changed copy; the data path
 * reads it without a lock.
 */
public final class LocalWires {
  private static final long LINK_LOCAL_BITS = 0xffc0_0000_0000_0000L;
  private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;

  /** The count of changes, which all wires of the book share. */
  final Epoch epoch = new Epoch();

  private final Map<Place, UdpWire> book = new HashMap<>(); // guarded by this
  private volatile Table table = new Table(Map.of());

  /** Makes an empty book. */
  public LocalWires() {}

  private record Place(Gid gid, int port) {}

  /** The book for the data path: places with open addressing, at most half of them taken. */
  private static final class Table {
    private final int mask;
    private final @Nullable Place[] places;
    private final @Nullable UdpWire[] wires;

    Table(Map<Place, UdpWire> book) {
      int size = Integer.highestOneBit(2 * book.size() + 1) << 1;
      mask = size - 1;
      places = new @Nullable Place[size];
      wires = new @Nullable UdpWire[size];
      book.forEach(
          (place, wire) -> {
            int i = start(place.gid.high(), place.gid.low(), place.port) & mask;
            while (places[i] != null) {
              i = i + 1 & mask;
            }
            places[i] = place;
            wires[i] = wire;
          });
    }

    private static int start(long high, long low, int port) {
      long mixed = (high ^ low ^ port) * 0x9E3779B97F4A7C15L;
      return (int) (mixed >>> 32);
    }

    @Nullable UdpWire find(long high, long low, int port) {
      for (int i = start(high, low, port) & mask; ; i = i + 1 & mask) {
        Place place = places[i];
        if (place == null) {
          return null;
        }
        if (place.gid.low() == low && place.gid.high() == high && place.port == port) {
          return wires[i];
        }
      }
    }
  }

  /**
   * Finds the wire of an address. Does not block or allocate.
   *
   * @param high upper half of the GID
   * @param low lower half of the GID
   * @param port UDP port
   * @return the wire, or null
   */
  @Nullable UdpWire find(long high, long low, int port) {
    return table.find(high, low, port);
  }

  /** Enters an address that a wire has opened. */
  synchronized void add(Gid gid, int port, UdpWire wire) {
    if ((gid.high() & LINK_LOCAL_BITS) != LINK_LOCAL) {
      book.putIfAbsent(new Place(gid, port), wire);
      replace();
    }
  }

  /** Removes an address before the wire closes it. */
  synchronized void remove(Gid gid, int port, UdpWire wire) {
    book.remove(new Place(gid, port), wire);
    replace();
  }

  private void replace() {
    table = new Table(book);
    epoch.changed();
  }
}
