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
 * How an address becomes an interface's own: one of version 6 is asked for first, and is not used
 * when somebody answers (RFC 4862 section 5.4). What is own is told to all, more than once, for
 * those who have an older word of it (RFC 4861 section 7.2.6, RFC 5227 section 2.3; D5).
 */
final class Claims {
  /** How often an own address is told (MAX_NEIGHBOR_ADVERTISEMENT). */
  static final int ANNOUNCEMENTS = 3;

  /** Distance of questions and of announcements (RETRANS_TIMER). */
  static final long DISTANCE_NS = 1_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Claims.class);
  private final Link link;
  private final Neighbours neighbours;
  private final Addresses addresses;
  private final int probes;
  private final Map<Ip, Integer> tentative = new LinkedHashMap<>(); // with the prefix
  private final Set<Ip> duplicates = new HashSet<>();
  private final Map<Ip, Loop.Timer> timers = new HashMap<>();

  /**
   * Claims nothing yet.
   *
   * @param probes how often an address is asked for before it is used, 0 for not at all
   */
  Claims(Link link, Neighbours neighbours, Addresses addresses, int probes) {
    this.link = link;
    this.neighbours = neighbours;
    this.addresses = addresses;
    this.probes = probes;
  }

  /** {@return whether the address is new here} */
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
    duplicates.remove(address); // the user insists
    tentative.put(address, prefix);
    probe(address, probes);
    return true;
  }

  /** There is carrier, or another link address: the others are to know. */
  void again() {
    addresses.own().forEach(this::announce);
    List.copyOf(tentative.keySet()).forEach(address -> probe(address, probes));
  }

  /** There is nobody to tell. */
  void pause() {
    timers.values().forEach(Loop.Timer::cancel);
    timers.clear();
  }

  private void probe(Ip address, int left) {
    if (!link.state().carrier()) {
      return; // begins anew with carrier
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

  /** Somebody else speaks for an address. {@return whether it was being claimed here} */
  boolean taken(Ip address) {
    if (tentative.remove(address) == null) {
      return false;
    }
    duplicates.add(address);
    Loop.Timer timer = timers.remove(address);
    if (timer != null) {
      timer.cancel();
    }
    log.warn("{}: somebody else on the link has it, it is not used", address);
    return true;
  }

  /** {@return all addresses, those that are not used with the reason} */
  List<String> list() {
    List<String> all = new ArrayList<>();
    addresses.own().forEach(address -> all.add(address.toString()));
    tentative.keySet().forEach(address -> all.add(address + " tentative"));
    duplicates.forEach(address -> all.add(address + " duplicate"));
    return all;
  }
}
