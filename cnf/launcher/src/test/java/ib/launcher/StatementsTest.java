package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
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
}
