package ib.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 5: the cases of the compatibility suite")
final class CatalogueTest {
  private static final List<Case> CASES = Catalogue.cases();

  @Test
  @DisplayName("at least 250 named cases, and of every kind that the issue names")
  void count() {
    assertTrue(CASES.size() >= 250, () -> CASES.size() + " cases");
    for (String prefix :
        List.of("DATA-", "ERR-", "POST-", "FLUSH-", "PAIR-", "CALL-", "LIMIT-", "LIFE-", "HOT-")) {
      long n = CASES.stream().filter(c -> c.id().startsWith(prefix)).count();
      assertTrue(n >= 10, () -> prefix + n);
    }
  }

  @Test
  @DisplayName("ids and names are unique, ids have their form")
  void unique() {
    assertEquals(CASES.size(), distinct(Case::id));
    assertEquals(CASES.size(), distinct(Case::name));
    CASES.forEach(c -> assertTrue(c.id().matches("[A-Z]+-[0-9]{3}"), c::id));
  }

  private static int distinct(Function<Case, String> of) {
    Set<String> seen = new HashSet<>();
    CASES.forEach(c -> assertTrue(seen.add(of.apply(c)), () -> "twice: " + c.title()));
    return seen.size();
  }

  @Test
  @DisplayName("ids are stable: each is what the kept list says; new cases are added to the list")
  void stable() throws IOException {
    String kept;
    try (InputStream in = CatalogueTest.class.getResourceAsStream("cases.txt")) {
      kept = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<String> titles = CASES.stream().map(Case::title).toList();
    assertEquals(String.join("\n", titles), kept.strip());
  }

  @Test
  @DisplayName("a case is found by its id, and only by that")
  void find() {
    assertEquals(CASES.getLast().name(), Catalogue.find(CASES.getLast().id()).name());
    assertThrows(IllegalArgumentException.class, () -> Catalogue.find("NONE-000"));
  }
}
