package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.internal.restrack.Quota;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A14: the form of the configuration and its file")
class CoreOptionsTest {
  private static Map<String, Integer> quotas() {
    return Arrays.stream(Quota.values())
        .collect(Collectors.toMap(Quota::key, Quota::standard, (a, b) -> a, TreeMap::new));
  }

  @Test
  @DisplayName("A14: the form has each limit with its default")
  void a14Form() {
    Map<String, Integer> form = new TreeMap<>();
    for (Method m : CoreOptions.class.getDeclaredMethods()) {
      String key = m.getName().replace("__", "_");
      if (key.startsWith("client_")) {
        form.put(key, (Integer) m.getDefaultValue());
      }
    }
    assertEquals(quotas(), form);
  }

  @Test
  @DisplayName("A14: the file names each limit with its default")
  void a14File() throws Exception {
    Map<String, Integer> file = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("../cnf/run/conf/ib.core.cfg"))) {
      if (line.startsWith("#   client_")) {
        String[] words = line.substring(1).strip().split(" +");
        file.put(words[0], Integer.valueOf(words[2]));
      }
    }
    assertEquals(quotas(), file);
  }
}
