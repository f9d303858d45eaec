package ib.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("-c finds planted errors")
class PayloadTest {
  private static final int SIZE = 3 * 4096 - 7;

  private final MemorySegment memory = Arena.ofAuto().allocate(SIZE + 40);
  private final Payload payload = new Payload(memory, 40, SIZE);

  @Test
  @DisplayName("what was never received is wrong in every page")
  void nothing() {
    assertEquals(List.of(0, 1, 2), payload.wrongPages(true));
    assertEquals(List.of(0, 1, 2), payload.wrongPages(false));
  }

  @Test
  void intact() {
    payload.write();
    assertEquals(List.of(), payload.wrongPages(true));
    assertEquals(List.of(), payload.wrongPages(false));
  }

  @Test
  @DisplayName("one flipped bit, anywhere")
  void flipped() {
    payload.write();
    for (int i : new int[] {0, 1, 4095, 4096, 5000, SIZE - 1}) {
      byte was = memory.get(ValueLayout.JAVA_BYTE, 40L + i);
      memory.set(ValueLayout.JAVA_BYTE, 40L + i, (byte) (was ^ 4));
      assertEquals(List.of(i / 4096), payload.wrongPages(true), "byte " + i);
      memory.set(ValueLayout.JAVA_BYTE, 40L + i, was);
    }
  }

  @Test
  @DisplayName("a page in another's place")
  void swapped() {
    payload.write();
    MemorySegment.copy(memory, 40, memory, 40 + 4096, 4096);
    assertEquals(List.of(1), payload.wrongPages(true));
  }

  @Test
  @DisplayName("the original writes the first byte of each page only")
  void original() {
    for (int page = 0; page < 3; page++) {
      memory.set(ValueLayout.JAVA_BYTE, 40L + page * 4096L, (byte) 0);
    }
    assertEquals(List.of(), payload.wrongPages(false));
    assertEquals(List.of(0, 1, 2), payload.wrongPages(true));
  }
}
