package ib.engine.mr;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A request is executed while it is still in its builder, and a second thread that misuses the
 * builder changes an element: other bytes may be copied, never more than were admitted.
 */
public final class ElementScenarios {
  private static final int LOCAL = 0x100;
  private static final int REMOTE = 0x200;
  private static final int DOMAIN = 1;
  private static final int ADMITTED = 8;
  private static final int BYTES = 32;

  private ElementScenarios() {}

  /** The product's copy. */
  public static class Changed implements Scenario {
    private final MemorySegment target = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    private final MemorySegment source = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    private final KeyTable lkeys = new KeyTable();
    private final LastKeys keys = new LastKeys(lkeys, new KeyTable(), DOMAIN);
    private final long[] words = new long[Sges.WORDS];

    /** Registers both memories, and makes a request of one element. */
    public Changed() {
      source.fill((byte) 7);
      lkeys.put(open(LOCAL, source));
      Sges.set(words, 0, LOCAL, 0, ADMITTED);
    }

    private static Key open(int number, MemorySegment memory) {
      Key key = new Key(number, DOMAIN, memory);
      MemorySegment[] segments = {memory};
      int rights = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
      key.open(key.begin(false), number, segments, new long[] {0, BYTES}, rights);
      return key;
    }

    @Override
    public void setUp() {
      Key key = open(REMOTE, target);
      long version = key.admit(REMOTE, DOMAIN, this, Access.REMOTE_WRITE, 0, ADMITTED);
      Interleavings.spawn(
          "holder", false, () -> store(keys.elements(words, 0, 1), ADMITTED, key, version));
      Interleavings.spawn("misuse", false, () -> Sges.set(words, 0, LOCAL, 0, 2 * ADMITTED));
    }

    void store(LastKeys from, long bytes, Key key, long version) {
      Mover.store(from, bytes, key, version, 0);
    }

    @Override
    public void check() {
      for (int i = ADMITTED; i < BYTES; i++) {
        if (target.get(ValueLayout.JAVA_BYTE, i) != 0) {
          throw new AssertionError("S6: byte " + i + " was written, which was not admitted");
        }
      }
    }
  }

  /** Canary: the length is read once for the check, and again for the copy. */
  public static final class CanaryReadTwice extends Changed {
    @Override
    void store(LastKeys from, long bytes, Key key, long version) {
      Key source = from.local(from.lkey(0));
      if (source != null && from.length(0) <= bytes) {
        Copier.into(key, version, 0, source.segment(0), from.address(0), (int) from.length(0));
      }
    }
  }
}
