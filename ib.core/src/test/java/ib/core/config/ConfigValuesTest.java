package ib.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F25: a key is declared once, and read by its declaration")
class ConfigValuesTest {
  private enum Speed {
    SLOW,
    FAST
  }

  private static final ConfigKey.Whole SIZE = new ConfigKey.Whole("size", 2, 4, 8, "Size.");
  private static final ConfigKey.Choice<Speed> SPEED =
      ConfigKey.Choice.of("speed", Speed.SLOW, "Speed.");
  private static final ConfigKey.Choice<Boolean> ON = ConfigKey.Choice.flag("on", true, "On.");
  private static final ConfigKey.Choice<Integer> STEPS =
      new ConfigKey.Choice<>(
          "steps", ConfigKey.Choice.words(List.of(1, 2), String::valueOf), "", 2, "Steps.");
  private static final ConfigKey.Text KEY =
      new ConfigKey.Text("key", "", 0, true, "64 bits", "Key.");

  private static ConfigValues of(Object value) {
    return new ConfigValues(
        Map.of("size", value, "speed", value, "on", value, "steps", value, "other", 1));
  }

  @Test
  @DisplayName("F25: absent keys have their defaults, unknown keys are ignored")
  void defaults() {
    ConfigValues values = new ConfigValues(Map.of("other", 1));
    assertEquals(4, values.number(SIZE));
    assertEquals(5, values.number(SIZE.from(5)));
    assertEquals(Speed.SLOW, values.choice(SPEED));
    assertEquals(true, values.choice(ON));
    assertEquals(List.of(), values.choices(STEPS));
    values.end("x");
  }

  @Test
  @DisplayName("B12: a byte order mark before the first key, or the first comment, is none of it")
  void byteOrderMark() {
    for (String mark : List.of("\u00ef\u00bb\u00bf", "\ufeff")) {
      ConfigValues values =
          new ConfigValues(Map.of(mark + "size", "8", mark + "# a comment", "x", mark, ""));
      assertEquals(8, values.number(SIZE));
      assertEquals(1, values.values.size());
    }
  }

  @Test
  @DisplayName("F25: values as files, shells and forms write them, whatever the case of the key")
  void values() {
    assertEquals(8, of(" 8 ").number(SIZE));
    assertEquals(2, of(2L).number(SIZE));
    assertEquals(2, new ConfigValues(Map.of("SIZE", (short) 2)).number(SIZE));
    assertEquals(Speed.FAST, of(" fast").choice(SPEED));
    assertEquals(false, of(false).choice(ON));
    assertEquals(false, of("false").choice(ON));
    assertEquals(List.of(2, 1), of("2, 1").choices(STEPS));
    assertEquals(List.of(2), of(new Integer[] {2}).choices(STEPS));
    assertEquals(List.of(), of(List.of()).choices(STEPS));
  }

  @Test
  @DisplayName("F25: a blank text is a list without entries: the default, which is written so")
  void blank() {
    for (Object blank : List.of("", "  ")) {
      ConfigValues values = new ConfigValues(Map.of("steps", blank, "speed", blank));
      assertEquals(List.of(), values.choices(STEPS));
      assertEquals(List.of(Speed.SLOW), values.choices(SPEED));
      values.end("x");
    }
    ConfigValues back = new ConfigValues(Map.of("steps", STEPS.standardText()));
    assertEquals(List.of(), back.choices(STEPS));
    back.end("x");
  }

  @Test
  @DisplayName("F25: all wrong values at once, each with its key, the value and what is allowed")
  void wrong() {
    for (Object bad :
        Arrays.asList(9, 1, "1e0", 2.0, "", "FAST", new Object[] {1, null}, List.of("2", "x"))) {
      ConfigValues values = of(bad);
      assertEquals(4, values.number(SIZE));
      assertEquals(Speed.SLOW, values.choice(SPEED));
      assertEquals(true, values.choice(ON));
      String text = assertThrows(IbInvalidException.class, () -> values.end("x")).getMessage();
      String shown = ConfigValues.shown(bad);
      assertTrue(text.contains("configuration 'x': key size is " + shown), text);
      assertTrue(text.contains("key speed is " + shown), text);
      assertTrue(text.contains("size: a whole number from 2 to 8; speed: slow, fast"), text);
      assertTrue(text.contains("on: false, true"), text);
    }
    for (Object bad : List.of("3", "1,2,1", ",", 2.0, true)) {
      ConfigValues values = of(bad);
      assertEquals(List.of(), values.choices(STEPS));
      String text = assertThrows(IbInvalidException.class, () -> values.end("x")).getMessage();
      assertTrue(text.contains("steps: comma separated: 1, 2"), text);
    }
  }

  @Test
  @DisplayName("F25: a secret value is never shown")
  void secret() {
    ConfigValues values = new ConfigValues(Map.of("key", "hush"));
    values.refuse(KEY);
    String text = assertThrows(IbInvalidException.class, () -> values.end("x")).getMessage();
    assertTrue(text.contains("key key is not shown") && text.contains("64 bits"), text);
    assertFalse(text.contains("hush"), text);
  }

  @Test
  @DisplayName("F25: a declaration that contradicts itself is refused when it is made")
  void contradictions() {
    assertThrows(
        IllegalArgumentException.class, () -> new ConfigKey.Whole("size", 2, 1, 8, "Size."));
    assertThrows(
        IllegalArgumentException.class,
        () -> new ConfigKey.Choice<>("c", Map.of("a", 1), "b", 0, "Letter."));
    assertThrows(
        IllegalArgumentException.class,
        () -> new ConfigSchema("p", false, "P", "P.", List.of(SIZE, SIZE)));
  }
}
