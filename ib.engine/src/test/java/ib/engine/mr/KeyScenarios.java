package ib.engine.mr;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Small scenarios around keys that posted requests open and close while packets arrive. */
public final class KeyScenarios {
  private static final int KEY = 0x100;
  private static final int DOMAIN = 1;

  private KeyScenarios() {}

  /** A region of eight bytes, and what a write through it brings. */
  abstract static class Keys implements Scenario {
    final MemorySegment first = MemorySegment.ofArray(new long[1]);
    final MemorySegment second = MemorySegment.ofArray(new long[1]);
    final Key region = new Key(KEY, DOMAIN, first);
    private final Payload payload = new Payload();

    Keys() {
      payload.add(MemorySegment.ofArray(new long[] {7}), 0, Long.BYTES);
    }

    static boolean open(Key key, int number, MemorySegment memory) {
      long begun = key.begin(false);
      if (begun != Key.REFUSED) {
        MemorySegment[] segments = {memory};
        key.open(begun, number, segments, new long[] {0, Long.BYTES}, Access.REMOTE_WRITE);
      }
      return begun != Key.REFUSED;
    }

    static boolean close(Key key) {
      long begun = key.begin(true);
      if (begun != Key.REFUSED) {
        key.close(begun, key.number());
      }
      return begun != Key.REFUSED;
    }

    void write(Key key, int number) {
      long v = key.admit(number, DOMAIN, this, Access.REMOTE_WRITE, 0, Long.BYTES);
      if (v != Key.REFUSED) {
        Copier.toRegion(payload, key, v, 0);
      }
    }

    static long value(MemorySegment memory) {
      return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    @Override
    public void check() {
      if (value(second) != 0) {
        throw new AssertionError("R-08: an old key has written to what was registered after it");
      }
    }
  }

  /** Invalidated and registered elsewhere while a packet with the old key is executed. */
  public static final class Reopen extends Keys {
    @Override
    public void setUp() {
      open(region, KEY, first);
      Interleavings.spawn(
          "owner",
          false,
          () -> {
            close(region);
            open(region, KEY + 1, second);
          });
      Interleavings.spawn("peer", false, () -> write(region, KEY));
    }
  }

  /** As {@link Reopen}, by a queue pair that has used the key before. */
  public static final class Kept extends Keys {
    private final LastKeys keys;

    /** Uses the key, so that it is kept. */
    public Kept() {
      KeyTable rkeys = new KeyTable();
      rkeys.put(region);
      keys = new LastKeys(new KeyTable(), rkeys, DOMAIN);
      keys.remote(KEY);
    }

    /** Opens memory in two pieces, which are read from an array: there the explorer stops. */
    private static void openHalves(Key key, int number, MemorySegment memory) {
      MemorySegment[] halves = {memory.asSlice(0, 4), memory.asSlice(4)};
      key.open(key.begin(false), number, halves, new long[] {0, 4, 8}, Access.REMOTE_WRITE);
    }

    @Override
    public void setUp() {
      openHalves(region, KEY, first);
      Interleavings.spawn(
          "owner",
          false,
          () -> {
            close(region);
            openHalves(region, KEY + 1, second);
          });
      Interleavings.spawn("peer", false, this::write);
    }

    private void write() {
      Key key = keys.remote(KEY);
      if (key != null) {
        write(key, KEY);
      }
    }
  }

  /** As {@link Reopen}, by a request whose data is inline. */
  public static final class Inline extends Keys {
    private final Key counted = new Key(KEY, DOMAIN, first, true); // counts stop the explorer
    private final long[] words = {7};

    @Override
    public void setUp() {
      open(counted, KEY, first);
      Interleavings.spawn(
          "owner",
          false,
          () -> {
            close(counted);
            open(counted, KEY + 1, second);
          });
      Interleavings.spawn("peer", false, this::write);
    }

    private void write() {
      long v = counted.admit(KEY, DOMAIN, this, Access.REMOTE_WRITE, 0, Long.BYTES);
      if (v != Key.REFUSED) {
        InlineData.give(words, 0, Long.BYTES, counted, v, 0);
      }
    }
  }

  /** The region below a window is invalidated and registered elsewhere. */
  public static final class Window extends Keys {
    private final Key window = new Key(KEY + 0x100, DOMAIN, second);

    @Override
    public void setUp() {
      open(region, KEY, first);
      long v = region.admit(KEY, DOMAIN, this, 0, 0, Long.BYTES);
      int rights = Access.REMOTE_WRITE;
      window.bind(window.begin(false), KEY + 0x100, region, v, 0, Long.BYTES, rights, null);
      Interleavings.spawn(
          "owner",
          false,
          () -> {
            close(region);
            open(region, KEY, second);
          });
      Interleavings.spawn("peer", false, () -> write(window, KEY + 0x100));
    }
  }

  /**
   * Two queue pairs register one free region: one of them does, and it opens what that one says.
   */
  public static final class TwoOwners extends Keys {
    private int opened;
    private @Nullable MemorySegment last;

    private void register(int number, MemorySegment memory) {
      if (open(region, number, memory)) {
        opened++;
        last = memory;
      }
    }

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> register(KEY, first));
      Interleavings.spawn("b", false, () -> register(KEY + 1, second));
    }

    @Override
    public void check() {
      if (opened != 1 || !region.isOpen() || !region.segment(0).equals(last)) {
        throw new AssertionError("IBA 10.6.4.3: registered " + opened + " times");
      }
    }
  }
}
