package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("D9: numbers are unguessable and not soon used again")
class NumbersTest {
  private static final int DRAWS = Integer.getInteger("ib.engine.draws", 1_000_000);
  private static final int QUARANTINE = 1 << 20;

  /** {@return a fixed stream of numbers, or a new one from the product's own source} */
  private static RandomGenerator random(boolean fixed) {
    return fixed ? RandomGeneratorFactory.of("L64X128MixRandom").create(3) : new SecureRandom();
  }

  private static long[] draw(LongSupplier next) {
    long[] values = new long[DRAWS];
    Arrays.setAll(values, i -> next.getAsLong());
    return values;
  }

  private static void clean(String name, long[] values, int low, int bits) {
    assertEquals(List.of(), Randomness.judge(name, values, low, bits));
  }

  @ParameterizedTest(name = "fixed seed {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("V1-V3: keys: all 32 bits pass chi-square, serial test and predictors")
  void keys(boolean fixed) {
    Numbers n = new Numbers(random(fixed), 32, 256, 2 * QUARANTINE);
    clean("keys", draw(n::next), 0, 32);
  }

  @ParameterizedTest(name = "fixed seed {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("V5: queue pair numbers: all 24 bits, while each is given back at once")
  void queuePairs(boolean fixed) {
    Numbers n = new Numbers(random(fixed), 24, 16, QUARANTINE);
    clean("qpn", draw(() -> used(n)), 0, 24);
  }

  @ParameterizedTest(name = "fixed seed {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("V4: addresses: 50 bits")
  void addresses(boolean fixed) {
    Numbers n = new Numbers(random(fixed), 32, 256, QUARANTINE);
    clean("iova", draw(n::address), 12, 50);
  }

  private static int used(Numbers n) {
    int number = n.next();
    n.retire(number);
    return number;
  }

  @ParameterizedTest(name = "{0} bits")
  @ValueSource(ints = {24, 32})
  @DisplayName("V1, V5: no index comes again within 2^20 creations, and then some do")
  void quarantine(int bits) {
    Numbers n = new Numbers(random(true), bits, 16, QUARANTINE);
    assertEquals(QUARANTINE, shortest(() -> used(n), bits, QUARANTINE), QUARANTINE / 16.0);
  }

  /** The smallest distance between two uses of an index, or -1 when it is less than allowed. */
  private static int shortest(LongSupplier next, int bits, int allowed) {
    int[] last = new int[1 << 24]; // index to when, from 1
    int shortest = Integer.MAX_VALUE;
    for (int i = 1; i <= 3 * QUARANTINE; i++) {
      int index = (int) (next.getAsLong() & 0xffffffffL) >>> bits - 24;
      if (last[index] != 0) {
        shortest = Math.min(shortest, i - last[index]);
        if (shortest < allowed) {
          return -1;
        }
      }
      last[index] = i;
    }
    return shortest;
  }

  @Test
  @DisplayName("live numbers are never given again, whatever was retired in between")
  void live() {
    Numbers n = new Numbers(random(true), 24, 16, 1024);
    boolean[] live = new boolean[1 << 24];
    for (int i = 0; i < 2_000_000; i++) {
      int number = n.next();
      assertFalse(live[number], "given twice");
      live[number] = i % 3 == 0;
      if (!live[number]) {
        n.retire(number);
      }
    }
  }

  @Test
  @DisplayName("bounds: none of the reserved numbers, in 32 bits neither")
  void bounds() {
    int[] script = {0, 15, 0xffffff, 16};
    int[] at = {0};
    Numbers n = new Numbers(() -> (long) script[at[0]++] << 32, 24, 16, 16);
    assertEquals(16, n.next());
    int[] keys = {255, -1, 256, 256 << 1};
    int[] k = {0};
    Numbers m = new Numbers(() -> (long) keys[k[0]++] << 32, 32, 256, 16);
    assertEquals(256, m.next());
    assertEquals(512, m.next());
  }

  @Test
  @DisplayName("D9: each number is free again after the quarantine; an address has 62 bits")
  void freeAgain() {
    long[] drawn = {0};
    Numbers n = new Numbers(() -> (100 + drawn[0]++ % 70) << 32, 24, 16, 16);
    for (int i = 0; i < 500; i++) {
      assertEquals(100 + i % 70, used(n));
    }
    assertEquals(500, drawn[0], "no number was refused");
    assertEquals(-1L >>> 2 & -4096L, new Numbers(() -> -1L, 32, 256, 16).address());
  }

  @Test
  @DisplayName("canary: a counter, ReDMArk's step of 256, and Linux' index with 8 random bits fail")
  void canaries() {
    RandomGenerator random = random(true);
    long[] counter = {77};
    caught("counter", draw(() -> counter[0]++), 24);
    caught("step 0x100", draw(() -> counter[0] += 0x100), 32);
    caught("rxe", draw(() -> counter[0]++ << 8 | random.nextInt(256)), 32);
    caught("48-bit LCG, constant step", draw(() -> counter[0] += 0x9e3779b97f4a7c15L), 32);
    caught("one bit stuck", draw(() -> random.nextInt() | 1 << 19), 32);
    assertEquals(-1, shortest(() -> random.nextInt() & 0xffffffL, 24, QUARANTINE), "no quarantine");
    assertEquals(-1, shortest(soon(1 << 14), 24, QUARANTINE), "2^14 are not enough");
  }

  private static LongSupplier soon(int quarantine) {
    Numbers n = new Numbers(random(true), 24, 16, quarantine);
    return () -> used(n);
  }

  private static void caught(String name, long[] values, int bits) {
    assertTrue(!Randomness.judge(name, values, 0, bits).isEmpty(), name + " was not caught");
  }
}
