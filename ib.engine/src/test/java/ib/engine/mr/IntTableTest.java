package ib.engine.mr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of numbers beside a map of Java. */
class IntTableTest {
  private final IntTable<String> table = new IntTable<>();
  private final Map<Integer, String> map = new HashMap<>();

  private void same(int number) {
    assertEquals(map.get(number), table.find(number), "number " + number);
  }

  private void put(int number) {
    map.put(number, "n" + number);
    table.put(number, "n" + number);
  }

  private void whole() {
    assertEquals(map.size(), table.size());
    TreeSet<String> visited = new TreeSet<>();
    table.forEach(v -> assertTrue(visited.add(v), v + " was visited twice"));
    assertEquals(new TreeSet<>(map.values()), visited);
  }

  @ParameterizedTest(name = "numbers up to {0}")
  @ValueSource(ints = {40, 1_000, 1 << 24})
  @DisplayName("what is put is found until it is removed, however many numbers share a slot")
  void comingAndGoing(int bound) {
    Random random = new Random(bound);
    for (int i = 0; i < 3_000; i++) {
      int number = 1 + random.nextInt(bound);
      same(number);
      if (map.containsKey(number) || random.nextInt(5) == 0) {
        assertEquals(map.remove(number) != null, table.remove(number));
      } else {
        put(number);
      }
      same(number);
    }
    map.keySet().forEach(this::same);
    whole();
  }

  @Test
  @DisplayName("it grows with what is in it, and keeps all of it")
  void growth() {
    for (int i = 1; i <= 500; i++) {
      put(i << 8); // one slot for many
    }
    map.keySet().forEach(this::same);
    whole();
  }

  @Test
  @DisplayName("a number that was removed is not found, and no other number goes with it")
  void neighbours() {
    put(1);
    put(65); // begins at the same slot
    assertFalse(table.remove(129), "was never there");
    assertTrue(table.remove(map.remove(1) == null ? 0 : 1));
    same(1);
    same(65);
    assertFalse(table.remove(1), "once");
    assertTrue(table.remove(map.remove(65) == null ? 0 : 65));
    assertNull(table.find(65));
    whole();
  }

  @Test
  @DisplayName("IBA 10.6.3: keys are found by their upper 24 bits")
  void keys() {
    KeyTable keys = new KeyTable();
    Key key = new Key(0x12345678, 1, MemorySegment.NULL);
    assertFalse(keys.has(0x123456));
    keys.put(key);
    assertTrue(keys.has(0x123456));
    assertSame(key, keys.find(0x12345600));
    assertNull(keys.find(0x12345778));
    keys.remove(key);
    assertFalse(keys.has(0x123456));
  }
}
