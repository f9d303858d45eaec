package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.config.ConfigKey;
import ib.core.spi.FaultRule;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.driver.base.Guids;
import ib.driver.base.NumberKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("F25 a device configuration is judged whole, and never throws anything else")
final class ConfigReaderTest {
  private static final List<ConfigKey.Whole> NUMBERS =
      ConfigReader.SCHEMA.keys().stream()
          .filter(ConfigKey.Whole.class::isInstance)
          .map(ConfigKey.Whole.class::cast)
          .toList();

  private static final List<String> TEXTS =
      List.of("name", "switch", "guid", "link", "mtu", "pkeys", "faults", "fault_seed");

  private static SoftConfig read(Object... keysAndValues) {
    return ConfigReader.read("soft0", map(keysAndValues));
  }

  private static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }

  private static String refusal(Object... keysAndValues) {
    return assertThrows(IbInvalidException.class, () -> read(keysAndValues)).getMessage();
  }

  @Test
  @DisplayName("F25 nothing given: all defaults")
  void defaults() {
    SoftConfig c = read();
    assertEquals("soft0", c.name());
    assertEquals("ib-sw0", c.switchName());
    assertEquals(List.of(true), c.linkUp());
    assertEquals(List.of(0xffff), c.pkeys());
    assertEquals(Mtu.MTU_4096, c.mtu());
    assertEquals(Math.min(64, Runtime.getRuntime().availableProcessors()), c.compVectors());
    for (NumberKey key : NumberKey.values()) {
      if (key.limit() != null) {
        assertEquals(key.setting().standard(), c.limits().get(key.limit()), key.key());
      }
    }
    assertEquals(Guids.ofName("soft0"), c.guid());
  }

  @Test
  @DisplayName("F25 a derived GUID is the same every time, individual, local, with room for ports")
  void derivedGuid() {
    long guid = Guids.ofName("soft0");
    assertEquals(guid, Guids.ofName("soft0"));
    assertFalse(guid == Guids.ofName("soft1"));
    assertEquals(2, guid >>> 56 & 3);
    assertEquals(0, guid & 0xff);
  }

  private static List<FaultRule> rules(String... texts) {
    return Stream.of(texts).map(FaultRule::parse).toList();
  }

  static Stream<Arguments> good() {
    return Stream.of(
        Arguments.of("guid", "0x02c90300000a0001", 0x02c90300000a0001L),
        Arguments.of("guid", "02C90300000A0001", 0x02c90300000a0001L),
        Arguments.of("guid", " 02c9:0300:000a:0001 ", 0x02c90300000a0001L),
        Arguments.of("guid", "fec90300000a0001", 0xfec90300000a0001L),
        Arguments.of("guid", "fec90300000a00ff", 0xfec90300000a00ffL), // B12
        Arguments.of("guid", "", Guids.ofName("soft0")),
        Arguments.of("link", "down", List.of(false)),
        Arguments.of("link", new String[] {"down"}, List.of(false)),
        Arguments.of("link", new String[0], List.of(true)),
        Arguments.of("link", "", List.of(true)),
        Arguments.of("mtu", "1024", Mtu.MTU_1024),
        Arguments.of("mtu", 256, Mtu.MTU_256),
        Arguments.of("mtu", 512L, Mtu.MTU_512),
        Arguments.of("pkeys", "0xffff, 8001,0x1", List.of(0xffff, 0x8001, 1)),
        Arguments.of("pkeys", List.of("7fff"), List.of(0x7fff)),
        Arguments.of("faults", "loss rate=0.05, corrupt", rules("loss rate=0.05", "corrupt")),
        Arguments.of("faults", new String[] {"delay delay=2ms"}, rules("delay delay=2ms")),
        Arguments.of("faults", "", rules()),
        Arguments.of("fault_seed", "-7", OptionalLong.of(-7)),
        Arguments.of("fault_seed", 7L, OptionalLong.of(7)),
        Arguments.of("name", "mlx5_0.a-b", "mlx5_0.a-b"),
        Arguments.of("switch", "left", "left"),
        Arguments.of("comp_vectors", 3L, 3),
        Arguments.of("COMP_VECTORS", "4", 4),
        Arguments.of("max_qp", (short) 12, 12));
  }

  @ParameterizedTest
  @MethodSource("good")
  @DisplayName("F25 values as files, shells and forms write them")
  void acceptsWhatPeopleWrite(String key, Object value, Object expected) {
    SoftConfig c = read(key, value);
    Object actual =
        switch (key) {
          case "guid" -> c.guid();
          case "link" -> c.linkUp();
          case "mtu" -> c.mtu();
          case "pkeys" -> c.pkeys();
          case "faults" -> c.faults();
          case "fault_seed" -> c.faultSeed();
          case "name" -> c.name();
          case "switch" -> c.switchName();
          case "max_qp" -> c.limits().get(Limit.MAX_QP);
          default -> c.compVectors();
        };
    assertEquals(expected, actual);
  }

  @Test
  @DisplayName("F25 one cable state for all ports, or one for each")
  void linkPerPort() {
    assertEquals(List.of(false, false), read("ports", 2, "link", "down").linkUp());
    assertEquals(List.of(true, false), read("ports", 2, "link", "up,down").linkUp());
    assertTrue(refusal("ports", 3, "link", "up,down").contains("key link is 'up,down'"));
  }

  /** What is wrong for every key. */
  private static final List<Object> WRONG =
      Arrays.asList(
          null,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          1.5f,
          true,
          'c',
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          new int[] {1},
          new Object[] {1, null},
          List.of(List.of()),
          Map.of(),
          "-",
          "99999999999999999999999999",
          "\u0661\u0662",
          "soft\u00e9",
          "\ud83d\ude80",
          "a\nb",
          "x".repeat(100_000));

  private static final List<String> NO_LABELS = List.of("-a", "0a", "a b", "a/b", "a".repeat(64));

  /** What is wrong for one key. */
  private static final Map<String, List<Object>> WRONG_FOR =
      Map.of(
          "name", List.copyOf(NO_LABELS),
          "switch", List.copyOf(NO_LABELS),
          "guid", List.of("NaN", "0", "0".repeat(16), "0102030405060708", "2c9"),
          "link", List.of("NaN", ",", "UP", "up,", "up,down,up", "true"),
          "mtu", List.of("NaN", "", "0", "255", "257", "8192", 4095, 4095L, "4096.0"),
          "faults", List.of("lose", "loss rate=2", "loss,x", "loss 5"),
          "fault_seed", List.of("NaN", "1.5", "0x1", "9".repeat(19)),
          "pkeys", List.of("", "0", "0x8000", "0x10000", "ffff,ffff", "ffff,", "-1", "g"));

  /** Each key x {null, wrong type, min-1, max+1, huge, NaN, unicode, empty, control characters}. */
  static Stream<Arguments> bad() {
    List<Arguments> all = new ArrayList<>();
    for (String key : TEXTS) {
      WRONG.forEach(v -> all.add(Arguments.of(key, v)));
      WRONG_FOR.get(key).forEach(v -> all.add(Arguments.of(key, v)));
    }
    for (ConfigKey.Whole key : NUMBERS) {
      WRONG.forEach(v -> all.add(Arguments.of(key.name(), v)));
      int below = key.least() - 1;
      int above = key.most() + 1;
      Stream.of(below, above, below + "", above + "", 1 << 31, -1 >>> 1, "NaN", "1e3", "")
          .forEach(v -> all.add(Arguments.of(key.name(), v)));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("bad")
  @DisplayName("F25 a bad value: which key, what was wrong, what is allowed, on one printable line")
  void refusesWithKeyValueAndRange(String key, Object value) {
    String text = refusal(key, value);
    assertTrue(text.contains("configuration 'soft0'"), text);
    assertTrue(text.contains("key " + key + " is "), text);
    assertTrue(text.contains(key + ": "), text);
    assertTrue(text.length() < 400, text);
    assertTrue(text.chars().noneMatch(Character::isISOControl), text);
  }

  @Test
  @DisplayName("F25 the ends of every range are inside")
  void acceptsTheEnds() {
    assertEquals(NumberKey.values().length + 1, NUMBERS.size());
    for (ConfigKey.Whole key : NUMBERS) {
      read(key.name(), key.least());
      read(key.name(), String.valueOf(key.most()));
    }
  }

  @Test
  @DisplayName("F25 unknown keys are named; those of the framework are not ours")
  void unknownKeys() {
    String text = refusal("mtuu", "1024");
    assertTrue(text.contains("key 'mtuu' is unknown"), text);
    assertTrue(text.contains("mtu"), text);
    read("service.pid", "x", "felix.fileinstall.filename", "y", ":configurator:z", 1, ".hidden", 2);
  }

  @Test
  @DisplayName("F25 all that is wrong is said at once")
  void saysEverything() {
    String text = refusal("ports", 99, "mtu", "1000", "pkeys", "zz");
    for (String key : List.of("ports", "mtu", "pkeys")) {
      assertTrue(text.contains("key " + key), text);
    }
  }

  @Test
  @DisplayName("F25 20,000 random configurations: a configuration or a refusal, nothing else")
  void randomValues() {
    Random random = new Random(25);
    List<String> keys = new ArrayList<>(TEXTS);
    NUMBERS.forEach(key -> keys.add(key.name()));
    keys.add("other");
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      Map<String, Object> raw = new HashMap<>();
      for (int k = random.nextInt(4); k > 0; k--) {
        raw.put(keys.get(random.nextInt(keys.size())), value(random));
      }
      try {
        SoftConfig c = ConfigReader.read("soft0", raw);
        assertTrue(c.ports() >= 1 && c.ports() <= 8 && c.guid() != 0);
        accepted++;
      } catch (IbInvalidException e) {
        assertFalse(raw.isEmpty());
      }
    }
    assertTrue(accepted > 200 && accepted < 19_800, accepted + " accepted");
  }

  private static Object value(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt();
      case 1 -> random.nextInt(20);
      case 2 -> String.valueOf(random.nextInt(20));
      case 3 -> random.nextDouble();
      case 4 -> null;
      case 5 -> random.nextInt(20) + "," + Integer.toHexString(random.nextInt());
      case 6 -> Long.toHexString(random.nextLong());
      default -> {
        char[] chars = new char[random.nextInt(20)];
        for (int i = 0; i < chars.length; i++) {
          chars[i] = (char) random.nextInt(0x300);
        }
        yield new String(chars);
      }
    };
  }

  @Test
  @DisplayName("F25 link, pkeys and faults change live, everything else is a replug")
  void liveChanges() {
    SoftConfig running = read("ports", 2);
    assertTrue(read("ports", 2, "link", "up,down", "pkeys", "8001").liveChangeOf(running));
    assertTrue(read("ports", 2, "faults", "loss", "fault_seed", "1").liveChangeOf(running));
    assertFalse(read("ports", 1).liveChangeOf(running));
    assertFalse(read("ports", 2, "mtu", "1024").liveChangeOf(running));
    assertFalse(read("ports", 2, "max_qp", "10").liveChangeOf(running));
    assertFalse(read("ports", 2, "name", "other").liveChangeOf(running));
  }

  @Test
  @DisplayName("F25 GUIDs of node and ports must not overlap")
  void guidOverlap() {
    SoftConfig a = read("guid", "02c90300000a0010", "ports", 2); // 10 to 12
    assertTrue(read("guid", "02c90300000a0012").sharesGuidWith(a));
    assertTrue(read("guid", "02c90300000a000f").sharesGuidWith(a));
    assertFalse(read("guid", "02c90300000a0013").sharesGuidWith(a));
    assertFalse(read("guid", "02c90300000a000e").sharesGuidWith(a));
    assertFalse(read("guid", "fec90300000a0010").sharesGuidWith(a));
  }
}
