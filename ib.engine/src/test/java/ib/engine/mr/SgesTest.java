package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Elements in words. */
class SgesTest {
  @Test
  @DisplayName("IBA 10.7.3: an element keeps all bits of its key, address and length")
  void bits() {
    long[] w = new long[4];
    Sges.set(w, 1, 0xfedcba98, -2, 0xfffffff0);
    assertEquals(0xfedcba98, Sges.lkey(w, 1));
    assertEquals(-2, Sges.address(w, 1));
    assertEquals(0xfffffff0L, Sges.length(w, 1), "lengths are unsigned");
    assertEquals(0, w[0] | w[3]);
  }

  @Test
  @DisplayName("the bytes of several elements are those of each, and of no other element")
  void several() {
    long[] w = new long[9];
    for (int i = 0; i < 4; i++) {
      Sges.set(w, 1 + Sges.WORDS * i, 0x100, i, 1 << 8 * i);
    }
    assertEquals(0x1_01_00, Sges.length(w, 1 + Sges.WORDS, 2));
    assertEquals(0, Sges.length(w, 1, 0));
  }

  @Test
  @DisplayName("elements that are cleared have no bytes; those beside them stay as they are")
  void clear() {
    long[] w = {1, 1, 1, 1, 1, 1, 1, 1};
    Sges.clear(w, 2, 6);
    assertArrayEquals(new long[] {1, 1, 1, 0, 1, 0, 1, 1}, w);
  }
}
