package ib.engine.sim;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A registered region between two guard zones that no write may touch. */
final class Region {
  private static final int GUARD = 256;
  private static final int PAGE = 4096; // addresses in packets show where in a page memory lies
  private static final byte GUARD_BYTE = (byte) 0xA5;

  final MemoryRegion mr;
  final MemorySegment bytes;
  private final MemorySegment whole;
  private final String name;

  Region(Arena arena, ProtectionDomain pd, String name, long length, int access) {
    this.name = name;
    this.whole = arena.allocate(length + 2 * GUARD, PAGE);
    this.bytes = whole.asSlice(GUARD, length);
    whole.asSlice(0, GUARD).fill(GUARD_BYTE);
    whole.asSlice(GUARD + length, GUARD).fill(GUARD_BYTE);
    this.mr = pd.registerMemory(bytes, access);
  }

  void fillAll(byte value) {
    bytes.fill(value);
  }

  /** Fails when a write has changed a guard zone. */
  void checkGuards() {
    check(whole.asSlice(0, GUARD), "before");
    check(whole.asSlice(whole.byteSize() - GUARD, GUARD), "behind");
  }

  private void check(MemorySegment zone, String where) {
    if (!isFilled(zone, 0, GUARD, GUARD_BYTE)) {
      throw new SimFailure("memory " + where + " region " + name + " was written");
    }
  }

  static boolean isFilled(MemorySegment in, long at, int length, byte value) {
    for (int i = 0; i < length; i++) {
      if (in.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at + i) != value) {
        return false;
      }
    }
    return true;
  }
}
