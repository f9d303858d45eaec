package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A reader of a clone can look up each number that the code cites: {@code docs/clauses.md}. */
class ClausesTest {
  /** A number of a list of which nothing else in the code has the form. */
  private static final Pattern CITED =
      Pattern.compile("(?<![\\w.\\-/$\"'])(?:CC-|S|M|F|V)\\d+[a-z]?\\b(?![\\w.(])");

  private static final Path PAGE = Path.of("../../docs/clauses.md");

  private static Set<String> defined(Stream<String> lines) {
    Set<String> defined = new TreeSet<>();
    lines
        .filter(line -> line.startsWith("| "))
        .map(line -> line.split("\\|")[1].strip())
        .forEach(first -> defined.addAll(List.of(first.split(", "))));
    return defined;
  }

  /** {@return each citation of a number that is not defined, with its file} */
  private static List<String> unknown(Set<String> defined, String path, String text) {
    List<String> unknown = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      boolean comment = line.strip().startsWith("*") || line.contains("//") || line.contains("/*");
      if (comment || line.contains("@DisplayName(")) {
        Matcher m = CITED.matcher(line);
        while (m.find()) {
          if (!defined.contains(m.group())) {
            unknown.add(path + ": " + m.group());
          }
        }
      }
    }
    return unknown;
  }

  @Test
  @DisplayName("docs/clauses.md defines every clause that a comment or a test's name cites")
  void cited() throws IOException {
    Set<String> defined = defined(Files.readAllLines(PAGE).stream());
    assertTrue(
        defined.containsAll(Coverage.wanted()), "a clause that has to have a test is missing");
    List<String> unknown = new ArrayList<>();
    for (Source s : new House(Path.of("../..")).sources()) {
      if (!s.path().startsWith("cnf/tidy/")) {
        unknown.addAll(unknown(defined, s.path(), s.text()));
      }
    }
    assertEquals(List.of(), unknown);
  }

  @Test
  @DisplayName("canary: a number without a row is noticed, in a comment and in a test's name")
  void canary() {
    Set<String> defined = defined(Stream.of("| S1 | a |", "| V1, V2 | b |", "text S7"));
    assertEquals(Set.of("S1", "V1", "V2"), defined);
    String text =
        "// as S1 says, S7 does not\n int S8 = 1;\n @DisplayName(\"V2, V3: a\")\n * (CC-1)";
    assertEquals(List.of("X: S7", "X: V3", "X: CC-1"), unknown(defined, "X", text));
  }
}
