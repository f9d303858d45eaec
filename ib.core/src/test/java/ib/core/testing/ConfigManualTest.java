package ib.core.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigSchema;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.felix.metatype.AD;
import org.apache.felix.metatype.MetaData;
import org.apache.felix.metatype.MetaDataReader;
import org.apache.felix.metatype.OCD;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.service.metatype.AttributeDefinition;

@DisplayName("F25: metatype, manual and files of the distribution come from one declaration")
class ConfigManualTest {
  private static ConfigSchema schema(ConfigKey... keys) {
    return new ConfigSchema("p", false, "P", "About P.", List.of(keys));
  }

  private static final ConfigKey SIZE = new ConfigKey.Whole("size", 2, 4, 8, "Size in <bytes>.");
  private static final ConfigKey ON = ConfigKey.Choice.flag("on", true, "On.");
  private static final ConfigKey PATH = ConfigKey.Text.of("path", "a file", "Path.");

  @Test
  @DisplayName("F25: the metatype file")
  void metatype() {
    assertEquals(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- written by the test of the configuration, with -Dib.manual=write -->
        <metatype:MetaData xmlns:metatype="http://www.osgi.org/xmlns/metatype/v1.2.0">
          <OCD id="p" name="P" description="About P.">
            <AD id="size" name="size" type="Integer" required="false" min="2" max="8" default="4" \
        description="Size in &lt;bytes>."/>
            <AD id="on" name="on" type="Boolean" required="false" default="true" description="On."/>
            <AD id="path" name="path" type="String" required="false" description="Path. Allowed: \
        a file."/>
          </OCD>
          <Designate pid="p">
            <Object ocdref="p"/>
          </Designate>
        </metatype:MetaData>
        """,
        ConfigManual.metatype(schema(SIZE, ON, PATH)));
  }

  @Test
  @DisplayName("F25: Felix reads the metatype file, and accepts each default")
  void felix() throws Exception {
    ConfigKey.Choice<Integer> words =
        new ConfigKey.Choice<>("words", Map.of("a", 1), "a", 3, "Letters & <more>.");
    String text = ConfigManual.metatype(schema(SIZE, ON, PATH, words));
    MetaData data =
        new MetaDataReader().parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    Map<?, ?> definitions =
        ((OCD) data.getObjectClassDefinitions().get("p")).getAttributeDefinitions();
    assertEquals(Set.of("size", "on", "path", "words"), definitions.keySet());
    for (String key : List.of("size", "on", "words")) {
      AD definition = (AD) definitions.get(key);
      assertEquals("", definition.validate(definition.getDefaultValue()[0]), key);
    }
    assertEquals(AttributeDefinition.INTEGER, ((AD) definitions.get("size")).getType());
    assertEquals("8", ((AD) definitions.get("size")).getMax());
    assertEquals(AttributeDefinition.BOOLEAN, ((AD) definitions.get("on")).getType());
    assertEquals(3, ((AD) definitions.get("words")).getCardinality());
    assertEquals("Letters & <more>.", ((AD) definitions.get("words")).getDescription());
  }

  @Test
  @DisplayName("F25: the section of the manual")
  void section() {
    assertEquals(
        """
        ## `p`

        About P.

        | key | default | allowed | meaning |
        |---|---|---|---|
        | `size` | `4` | a whole number from 2 to 8 | Size in <bytes>. |
        | `path` |  | a file | Path. |
        """,
        ConfigManual.section(schema(SIZE, PATH)));
  }

  @Test
  @DisplayName("canary: another name, default, range, word, list or sentence changes both texts")
  void differences() {
    ConfigKey.Choice<Integer> words =
        new ConfigKey.Choice<>("words", Map.of("a", 1), "a", 0, "Letter.");
    List<List<ConfigKey>> pairs =
        List.of(
            List.of(SIZE, new ConfigKey.Whole("width", 2, 4, 8, SIZE.text())),
            List.of(SIZE, new ConfigKey.Whole("size", 2, 5, 8, SIZE.text())),
            List.of(SIZE, new ConfigKey.Whole("size", 1, 4, 8, SIZE.text())),
            List.of(SIZE, new ConfigKey.Whole("size", 2, 4, 9, SIZE.text())),
            List.of(SIZE, new ConfigKey.Whole("size", 2, 4, 8, "Size.")),
            List.of(
                words, new ConfigKey.Choice<>("words", Map.of("a", 1, "b", 2), "a", 0, "Letter.")),
            List.of(words, new ConfigKey.Choice<>("words", Map.of("a", 1), "a", 1, "Letter.")),
            List.of(PATH, ConfigKey.Text.of("path", "a folder", "Path.")));
    for (List<ConfigKey> pair : pairs) {
      for (Function<ConfigSchema, String> text :
          List.<Function<ConfigSchema, String>>of(ConfigManual::metatype, ConfigManual::section)) {
        assertNotEquals(text.apply(schema(pair.getFirst())), text.apply(schema(pair.getLast())));
      }
    }
  }

  @Test
  @DisplayName("canary: a file with a wrong default, an unknown key or a key too few is noticed")
  void files() {
    ConfigSchema schema = schema(SIZE, ON, PATH);
    List<String> good = List.of("# Sizes:", "#   size = 4 (bytes)   on = true", "path = /x");
    assertEquals(List.of(), ConfigManual.wrong(schema, good, Set.of()));
    assertEquals(List.of(), ConfigManual.wrong(schema, good.subList(0, 2), Set.of("path")));
    assertEquals(
        List.of("size = 5", "weight = 1", "high = 7", "omits [on, path]"),
        ConfigManual.wrong(schema, List.of("#  size = 5  weight = 1", "high = 7"), Set.of("path")));
  }
}
