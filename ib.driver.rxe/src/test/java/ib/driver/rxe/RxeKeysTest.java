package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ib.core.config.ConfigKey;
import ib.core.verbs.IbInvalidException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("F25 each key with each kind of bad value: refused by name, and nothing else is said")
final class RxeKeysTest {
  private static final RxeConfig STANDARD = read(Map.of());

  private static RxeConfig read(Map<String, Object> more) {
    Map<String, Object> values = new HashMap<>(Map.of("address", "10.0.0.1"));
    values.putAll(more);
    if (more.containsKey("interface")) {
      values.remove("address");
    }
    return RxeReader.read("rxe0", values);
  }

  static Stream<Arguments> numbers() {
    return RxeKeys.SCHEMA.keys().stream()
        .filter(ConfigKey.Whole.class::isInstance)
        .map(ConfigKey.Whole.class::cast)
        .map(key -> arguments(key.name(), key.least(), key.standard(), key.most()));
  }

  private static void refused(String key, Object value) {
    String text =
        assertThrows(IbInvalidException.class, () -> read(Map.of(key, value)), key + "=" + value)
            .getMessage();
    assertTrue(text.contains("key " + key) || text.contains("key '" + key + "'"), text);
  }

  @ParameterizedTest(name = "{0}: {1} to {3}")
  @MethodSource("numbers")
  @DisplayName("F25 numbers: both ends of the range and the default, and nothing beside them")
  void number(String key, int least, int standard, int most) {
    assertEquals(STANDARD, read(Map.of(key, standard)));
    for (Object good : List.of(least, most, String.valueOf(least), (long) most, " " + most + " ")) {
      read(Map.of(key, good));
    }
    for (Object bad :
        List.of(
            least - 1L,
            most + 1L,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            (1L << 32) + standard,
            "99999999999999999999",
            Double.NaN,
            1.5,
            "1e3",
            "0x10",
            "",
            "\u0663",
            "x",
            true,
            List.of(1, 2))) {
      refused(key, bad);
    }
  }

  static Stream<Arguments> texts() {
    return RxeKeys.SCHEMA.keys().stream()
        .filter(key -> !(key instanceof ConfigKey.Whole))
        .map(ConfigKey::name)
        .flatMap(
            key ->
                Stream.of(
                        1.5,
                        Double.NaN,
                        true,
                        "\u2603\u0663",
                        "\0",
                        "a\nb",
                        "x".repeat(100_000),
                        new byte[] {1})
                    .map(bad -> arguments(key, bad)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("texts")
  @DisplayName("F25 texts: other types, other scripts, control characters, far too long")
  void text(String key, Object bad) {
    refused(key, bad);
  }
}
