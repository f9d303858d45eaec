package ib.driver.rxe.udp;

import java.net.InetSocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The peers of one address, each with the proof that long sends arrive there. A table of sets of
 * {@value #WAYS} places, that doubles when a set is full: an evicted peer would begin its proof
 * anew, and each packet to it would be sent on its own. From {@value #MAX_PLACES} places on, which
 * only strangers fill (each answer to a forged source enters a peer), a peer is replaced by chance.
 *
 * <p>Any thread may call; calls take no lock, do not wait, and allocate for a peer that is not in
 * the table only. Threads that enter the same peer at the same time may enter it twice, and a peer
 * that is entered while the table grows may be forgotten: its proof begins anew then.
 */
final class Destinations {
  private static final int WAYS = 4;
  private static final int PLACES = 256; // at first
  private static final int MAX_PLACES = 1 << 14;

  private final UdpOptions.Gso gso;
  private final int port;
  private final int scope;
  private final UdpCounters counters;
  private volatile AtomicReferenceArray<Destination> table = new AtomicReferenceArray<>(PLACES);

  /**
   * A peer.
   *
   * @param high upper half of the GID
   * @param low lower half of the GID
   * @param address IP address and UDP port of the peer
   * @param proof whether long sends to the peer may be cut by the system
   */
  record Destination(long high, long low, InetSocketAddress address, PathProof proof) {
    /** Compares identities: one peer may have several objects. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * Makes an empty table.
   *
   * @param port UDP port of all peers
   * @param scope interface of link-local addresses; 0 for none
   */
  Destinations(UdpOptions.Gso gso, int port, int scope, UdpCounters counters) {
    this.gso = gso;
    this.port = port;
    this.scope = scope;
    this.counters = counters;
  }

  private static int set(AtomicReferenceArray<Destination> in, long high, long low) {
    long mixed = (high ^ low) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & in.length() - WAYS;
  }

  /** {@return the peer with a GID if it is in the table, else null} */
  @Nullable Destination known(long high, long low) {
    return find(table, high, low);
  }

  private static @Nullable Destination find(
      AtomicReferenceArray<Destination> in, long high, long low) {
    int first = set(in, high, low);
    for (int i = first; i < first + WAYS; i++) {
      Destination each = in.get(i);
      if (each != null && each.low == low && each.high == high) {
        return each;
      }
    }
    return null;
  }

  /** {@return the peer with a GID, which is entered when it is not in the table} */
  Destination get(long high, long low) {
    Destination known = find(table, high, low);
    return known == null ? enter(high, low) : known;
  }

  private Destination enter(long high, long low) {
    InetSocketAddress to = new InetSocketAddress(Addresses.address(high, low, scope), port);
    Destination made = new Destination(high, low, to, new PathProof(gso, counters));
    AtomicReferenceArray<Destination> in = table;
    while (!put(in, made) && in.length() < MAX_PLACES) {
      in = doubled(in);
    }
    if (in.length() == MAX_PLACES && !put(in, made)) {
      in.set(set(in, high, low) + ThreadLocalRandom.current().nextInt(WAYS), made);
    }
    table = in;
    return made;
  }

  /** {@return whether its set had a free place} */
  private static boolean put(AtomicReferenceArray<Destination> in, Destination made) {
    int first = set(in, made.high, made.low);
    for (int i = first; i < first + WAYS; i++) {
      if (in.get(i) == null && in.compareAndSet(i, null, made)) {
        return true;
      }
    }
    return false;
  }

  /** A set of the smaller table becomes two, so each of its peers has a place. */
  private static AtomicReferenceArray<Destination> doubled(
      AtomicReferenceArray<Destination> small) {
    AtomicReferenceArray<Destination> large = new AtomicReferenceArray<>(2 * small.length());
    for (int i = 0; i < small.length(); i++) {
      Destination each = small.get(i);
      if (each != null) {
        put(large, each);
      }
    }
    return large;
  }

  /** {@return how many places the table has} */
  int places() {
    return table.length();
  }

  /** Ages the proofs of all peers. One thread calls this about once a second. */
  void look() {
    AtomicReferenceArray<Destination> all = table;
    for (int i = 0; i < all.length(); i++) {
      Destination each = all.get(i);
      if (each != null) {
        each.proof.look();
      }
    }
  }

  /** {@return whether {@link #look} has something to do, now or later} */
  boolean hasWork() {
    AtomicReferenceArray<Destination> all = table;
    for (int i = 0; i < all.length(); i++) {
      Destination each = all.get(i);
      if (each != null && each.proof.ages()) {
        return true;
      }
    }
    return false;
  }
}
