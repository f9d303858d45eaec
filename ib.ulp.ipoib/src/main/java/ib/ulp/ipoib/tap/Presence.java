package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkState;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device of the kernel as its users see it: MTU and carrier follow the link, and when the kernel
 * takes it away it is made again (P2). On the loop.
 */
final class Presence {
  private static final int BATCH = 64;
  private static final int IPV6_LEAST = 1280;
  private static final long AGAIN_LEAST_NS = 100_000_000L;
  private static final long AGAIN_MOST_NS = 30_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Presence.class);
  private final TapDevice device;
  private final Link link;
  private final Runnable back;
  private long mac;
  private @Nullable LinkState shown;
  private boolean lost;
  private boolean closed;

  /**
   * Shows nothing yet.
   *
   * @param back is run when a lost device is there again
   */
  Presence(TapDevice device, Link link, Runnable back) {
    this.device = device;
    this.link = link;
    this.back = back;
  }

  boolean lost() {
    return lost;
  }

  /**
   * Shows what the link is now.
   *
   * @param address Ethernet address of the device, 0 when it has none
   */
  void show(LinkState state, long address) {
    mac = address;
    LinkState before = shown;
    shown = state;
    if (lost) {
      return;
    }
    try {
      if (before == null && mac != 0) {
        device.mac(mac);
      }
      if (before == null || before.mtu() != state.mtu()) {
        mtu(state.mtu());
      }
      device.carrier(state.carrier());
    } catch (IOException e) {
      gone(e);
    }
  }

  private void mtu(int bytes) {
    if (bytes < IPV6_LEAST) { // P5
      log.warn("{}: the kernel has no IPv6 with an MTU of {}: 1280 is the least", name(), bytes);
    }
    try {
      device.mtu(bytes);
    } catch (IOException e) {
      log.info("{}: set its MTU to {} where it is now: {}", name(), bytes, e.getMessage());
    }
  }

  private String name() {
    return device.name();
  }

  /**
   * Reads what the kernel sends, a batch at most, while the link has room.
   *
   * @param places tell where the next one is to be put
   * @param taker told of its length
   * @return whether there was any
   */
  boolean read(Supplier<MemorySegment> places, IntConsumer taker) {
    boolean any = false;
    try {
      for (int i = 0; i < BATCH && !lost; i++) {
        if (!link.hasRoom()) {
          device.reading(false);
          return any;
        }
        int length = device.read(places.get());
        if (length == 0) {
          return any;
        }
        any = true;
        taker.accept(length);
      }
    } catch (IOException e) {
      gone(e);
    }
    return any;
  }

  /** The kernel has taken the device away. */
  private void gone(IOException why) {
    if (!lost) {
      lost = true;
      device.lose();
      log.error(
          "interface {} is lost: {}; it is made again, without its addresses",
          name(),
          why.getMessage());
      link.loop().after(AGAIN_LEAST_NS, () -> again(AGAIN_LEAST_NS));
    }
  }

  /** Makes the device anew, later and later while the kernel refuses. */
  private void again(long waited) {
    if (closed) {
      return;
    }
    try {
      device.again();
    } catch (IOException e) {
      long next = Math.min(2 * waited, AGAIN_MOST_NS);
      log.debug("interface {} can not be made again yet: {}", name(), e.getMessage());
      link.loop().after(next, () -> again(next));
      return;
    }
    lost = false;
    LinkState now = shown;
    shown = null;
    if (now != null) {
      show(now, mac);
    }
    log.info("interface {} is there again", name());
    back.run();
  }

  void close() {
    lost = true;
    closed = true;
    device.close();
  }
}
