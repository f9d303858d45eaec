package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA table 224: codes of rates")
class RateTest {
  @Test
  @DisplayName("each code has its rate, and each rate its code; the fastest that is not faster")
  void codes() {
    for (int code : IntStream.range(2, 25).toArray()) {
      assertEquals(code, Rate.of(Rate.bitsPerSecond(code)), "code " + code);
    }
    assertEquals(2_500_000_000L, Rate.bitsPerSecond(2));
    assertEquals(1_200_000_000_000L, Rate.bitsPerSecond(24));
    assertEquals(0, Rate.bitsPerSecond(-1) + Rate.bitsPerSecond(0) + Rate.bitsPerSecond(25));
    assertEquals(2, Rate.of(1));
    assertEquals(5, Rate.of(9_999_999_999L));
    assertEquals(24, Rate.of(Long.MAX_VALUE));
  }
}
