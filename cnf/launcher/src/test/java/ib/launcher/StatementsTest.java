package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StatementsTest {
  @Test
  void splitsAtSemicolonsAndLineEnds() {
    assertEquals(List.of("a", "b -c", "d"), Statements.split("a; b -c\n\n d ;"));
  }

  @Test
  void keepsQuotesBracketsEscapesAndPipesWhole() {
    assertEquals(
        List.of("echo 'a;b' \"c;d\"", "each [1 2] { echo $it; lb }", "echo a\\;b | grep a"),
        Statements.split("echo 'a;b' \"c;d\"; each [1 2] { echo $it; lb }; echo a\\;b | grep a"));
  }

  @Test
  @DisplayName("B11: rate=5% needs no quotes, and arithmetic is what it was")
  void percent() {
    assertEquals(List.of("add loss rate=5\\%", "b"), Statements.split("add loss rate=5%; b"));
    assertEquals(List.of("add 'rate=5%' \"6%\" 7\\%"), Statements.split("add 'rate=5%' \"6%\" 7%"));
    assertEquals(List.of("echo %(5 + 3)", "a=%1"), Statements.split("echo %(5 + 3); a=%1"));
    assertEquals(
        List.of("each [1] { add rate=0.5\\% }"), Statements.split("each [1] { add rate=0.5% }"));
  }
}
