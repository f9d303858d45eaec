package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract is executable: each clause has a test that names it. */
class CoverageTest {
  @Test
  @DisplayName("every clause, corner case, invariant and bug class is named by a test")
  void contract() throws IOException {
    assertEquals(List.of(), Coverage.missing(new House(Path.of("../..")).sources()));
  }

  @Test
  @DisplayName("canary: a clause that goes missing is noticed")
  void canary() {
    String text = "class X { @Test @DisplayName(\"%s\" + \": a name\") void f() {} }";
    List<String> all = Coverage.wanted();
    assertEquals(112, all.size());
    Source but = source(text.formatted(String.join(", ", all).replace("CC-9,", "CC-90,")));
    assertEquals(List.of("CC-9"), Coverage.missing(List.of(but)));
    String comment = "// @DisplayName(\"CC-9\")\nclass Y { String s = \"CC-9\"; }";
    assertEquals(List.of("CC-9"), Coverage.missing(List.of(but, source(comment))));
    String title = "@DisplayName(\"CC-9: all\") class Y { @Test void f() {} }";
    assertEquals(List.of("CC-9"), Coverage.missing(List.of(but, source(title))));
    String helper = "class Y { @DisplayName(\"CC-9: all\") void f() {} }";
    assertEquals(List.of("CC-9"), Coverage.missing(List.of(but, source(helper))));
    for (String other : List.of("walls.md CC-9", "as CC-9", "S1: CC-9 comes elsewhere")) {
      assertEquals(List.of("CC-9"), Coverage.missing(List.of(but, source(text.formatted(other)))));
    }
    assertEquals(List.of(), Coverage.missing(List.of(but, source(text.formatted("CC-9")))));
    String old = "class Y { @Test public void cc9_somethingElse() {} }";
    assertEquals(List.of(), Coverage.missing(List.of(but, source(old))));
  }

  @Test
  @DisplayName("canary: rows count in full, longer numbers and other words do not")
  void numbers() {
    assertEquals(Set.of("S2", "S3", "S4"), Coverage.numbers("S2-S4: rows"));
    assertEquals(Set.of("S11b", "S11"), Coverage.numbers("S11b: and"));
    assertEquals(Set.of("B7"), Coverage.numbers("B7, R-08, IBA 9.7, PSN12, 2.6-4: B8"));
    assertEquals(Set.of(), Coverage.numbers("S2 without a colon"));
  }

  private static Source source(String text) {
    return Source.parse("ib.core/src/test/java/X.java", text);
  }
}
