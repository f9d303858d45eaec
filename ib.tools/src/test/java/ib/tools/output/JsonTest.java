package ib.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Gid;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("users A5: -j everywhere, in iproute2's layout")
class JsonTest {
  private enum Colour {
    RED
  }

  private record Point(int x, Colour colour, Gid gid) {}

  @Test
  void plainLayout() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", 1);
    map.put("b", List.of("x", true));
    map.put("c", Map.of());
    map.put("d", null);
    assertEquals(
        "[{\"a\":1,\"b\":[\"x\",true],\"c\":{},\"d\":null},{}]",
        Json.write(List.of(map, Map.of()), false));
    assertEquals("[]", Json.write(List.of(), false));
  }

  @Test
  @DisplayName("pretty: members on lines of their own, elements not")
  void prettyLayout() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("ifname", "soft0");
    map.put("caps", List.of("SM", "NOTICE"));
    assertEquals(
        """
        [ {
                "ifname": "soft0",
                "caps": [ "SM","NOTICE" ]
            },{
                "a": 1
            } ]""",
        Json.write(List.of(map, Map.of("a", 1)), true));
  }

  @Test
  void recordsAndEscapes() {
    assertEquals(
        "{\"x\":5,\"colour\":\"RED\",\"gid\":\"fe80::1\"}",
        Json.write(new Point(5, Colour.RED, Gid.linkLocal(1)), false));
    assertEquals("\"a\\\"b\\\\c\\n\\t\\u0001é\"", Json.write("a\"b\\c\n\t\u0001é", false));
  }
}
