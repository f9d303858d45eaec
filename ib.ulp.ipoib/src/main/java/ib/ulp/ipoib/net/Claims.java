package ib.ulp.ipoib.net;

import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds addresses to an interface. An IPv6 address is probed first, and not used if another node
 * answers (RFC 4862 section 5.4). An address in use is announced {@link #ANNOUNCEMENTS} times, so
 * that neighbours replace older entries (RFC 4861 section 7.2.6, RFC 5227 section 2.3; D5). Used on
 * the loop's thread only.
 */
final class Claims {
  /** How often an address is announced (MAX_NEIGHBOR_ADVERTISEMENT). */
  static final int ANNOUNCEMENTS = 3;

  /** Time between probes, and between announcements (RETRANS_TIMER). */
  static final long DISTANCE_NS = 1_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Claims.class);
  private final Link link;
  private final Neighbours neighbours;
  private final Addresses addresses;
  private final int probes;
  private final Map<Ip, Integer> tentative =
      new LinkedHashMap<>(); // probed addresses with their prefixes
  private final Set<Ip> duplicates = new HashSet<>();
  private final Map<Ip, Loop.Timer> timers = new HashMap<>();

  /**
   * Creates the table, without addresses.
   *
   * @param probes how many neighbour solicitations precede the use of an IPv6 address; 0: none
   */
  Claims(Link link, Neighbours neighbours, Addresses addresses, int probes) {
    this.link = link;
    this.neighbours = neighbours;
    this.addresses = addresses;
    this.probes = probes;
  }

  /** Adds an address, after probing if that is needed. {@return whether the address is new} */
  boolean add(Ip address, int prefix) {
    if (address.isV4() || probes == 0) {
      boolean isNew = addresses.add(address, prefix);
      if (isNew) {
        announce(address);
      }
      return isNew;
    }
    if (addresses.own().contains(address) || tentative.containsKey(address)) {
      return false;
    }
    duplicates.remove(address); // adding a duplicate again probes it again
    tentative.put(address, prefix);
    probe(address, probes);
    return true;
  }

  /** Announces and probes all addresses again, after carrier or the link address has changed. */
  void again() {
    addresses.own().forEach(this::announce);
    List.copyOf(tentative.keySet()).forEach(address -> probe(address, probes));
  }

  /** Stops all timers while there is no carrier. */
  void pause() {
    timers.values().forEach(Loop.Timer::cancel);
    timers.clear();
  }

  private void probe(Ip address, int left) {
    if (!link.state().carrier()) {
      return; // again() starts it when there is carrier
    }
    if (left > 0) {
      neighbours.probe(address);
      later(address, () -> probe(address, left - 1));
      return;
    }
    Integer prefix = tentative.remove(address);
    if (prefix != null) {
      addresses.add(address, prefix);
      announce(address);
    }
  }

  private void announce(Ip address) {
    announce(address, ANNOUNCEMENTS);
  }

  private void announce(Ip address, int left) {
    if (link.state().carrier()) {
      neighbours.announce(address);
      if (left > 1) {
        later(address, () -> announce(address, left - 1));
      }
    }
  }

  private void later(Ip address, Runnable task) {
    Loop.Timer before = timers.put(address, link.loop().after(DISTANCE_NS, task));
    if (before != null) {
      before.cancel();
    }
  }

  /**
   * Gives up an address that another node uses. {@return whether the address was being probed here}
   */
  boolean taken(Ip address) {
    if (tentative.remove(address) == null) {
      return false;
    }
    duplicates.add(address);
    Loop.Timer timer = timers.remove(address);
    if (timer != null) {
      timer.cancel();
    }
    log.warn("{}: not used, because another node on the link has this address", address);
    return true;
  }

  /** {@return all addresses; those not in use with the reason} */
  List<String> list() {
    List<String> all = new ArrayList<>();
    addresses.own().forEach(address -> all.add(address.toString()));
    tentative.keySet().forEach(address -> all.add(address + " tentative"));
    duplicates.forEach(address -> all.add(address + " duplicate"));
    return all;
  }
}
