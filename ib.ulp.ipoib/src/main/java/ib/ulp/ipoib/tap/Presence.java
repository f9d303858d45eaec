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
 * Keeps a TAP or TUN device in step with its link: MTU and carrier follow the link, and a device
 * that the kernel has removed is created again (P2), in the namespace of this process and under the
 * configured name. When the device has gone, the kernel no longer says where it was; to remember
 * that, this class would have to hold the namespace open, and a deleted namespace would stay. Used
 * on the loop's thread only.
 */
final class Presence {
  private static final int BATCH = 64;
  private static final int MIN_IPV6 = 1280;
  private static final long MIN_AGAIN_NS = 100_000_000L;
  private static final long MAX_AGAIN_NS = 30_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(Presence.class);
  private final TapDevice device;
  private final Link link;
  private final Runnable back;
  private long mac;
  private @Nullable LinkState shown;
  private boolean lost;
  private boolean closed;

  /**
   * Creates the object; the device shows no carrier before {@link #show}.
   *
   * @param back runs when a lost device exists again
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
   * Shows the state of the link.
   *
   * @param address Ethernet address of the device; 0 for TUN
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
    if (bytes < MIN_IPV6) { // P5
      log.warn(
          "{}: an MTU of {} is below 1280, so the kernel switches off IPv6 on this interface",
          name(),
          bytes);
    }
    try {
      device.mtu(bytes);
    } catch (IOException e) {
      log.info(
          "{}: its MTU could not be set to {}; set it by hand in the namespace where the device is: {}",
          name(),
          bytes,
          e.getMessage());
    }
  }

  private String name() {
    return device.name;
  }

  /**
   * Reads frames from the kernel, at most a batch, while the link has free send buffers.
   *
   * @param places returns the memory for the next frame
   * @param taker called with the length of each frame
   * @return whether there was a frame
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

  /** Closes the device that the kernel has removed, and tries to create it again later. */
  private void gone(IOException why) {
    if (!lost) {
      lost = true;
      device.lose();
      log.error(
          "interface {}: the kernel has removed its device: {}; it is created again, without its addresses",
          name(),
          why.getMessage());
      link.loop().after(MIN_AGAIN_NS, () -> again(MIN_AGAIN_NS));
    }
  }

  /**
   * Creates the device again; doubles the time to the next attempt each time the kernel refuses.
   */
  private void again(long waited) {
    if (closed) {
      return;
    }
    try {
      device.again();
    } catch (IOException e) {
      long next = Math.min(2 * waited, MAX_AGAIN_NS);
      log.debug(
          "interface {}: the kernel refuses to create its device again: {}",
          name(),
          e.getMessage());
      link.loop().after(next, () -> again(next));
      return;
    }
    lost = false;
    LinkState now = shown;
    shown = null;
    if (now != null) {
      show(now, mac);
    }
    log.info("interface {}: its device exists again", name());
    back.run();
  }

  void close() {
    lost = true;
    closed = true;
    device.close();
  }
}
