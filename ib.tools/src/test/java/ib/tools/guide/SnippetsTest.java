package ib.tools.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Java in the guide is a piece of a source that is compiled and run: a recipe's test, or a sample.
 */
@DisplayName("U24: Java in docs")
class SnippetsTest {
  private static final Path DOCS = Path.of("../docs");
  private static final List<Path> SOURCES =
      List.of(Path.of("src/test/java/ib/tools/guide"), Path.of("../samples"));

  /** {@return the blocks of Java text of a page} */
  private static List<String> blocks(String page) {
    List<String> blocks = new ArrayList<>();
    for (int at = page.indexOf("```java\n"); at >= 0; at = page.indexOf("```java\n", at + 1)) {
      int begin = page.indexOf('\n', at) + 1;
      blocks.add(page.substring(begin, page.indexOf("```", begin)));
    }
    return blocks;
  }

  private static String withoutIndent(String text) {
    return text.lines().map(String::strip).reduce("\n", (a, b) -> a + b + "\n");
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    for (Path folder : SOURCES) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          sources.add(withoutIndent(Files.readString(file)));
        }
      }
    }
    return sources;
  }

  /** {@return the blocks that no source has} */
  private static List<String> foreign(String page, List<String> sources) {
    return blocks(page).stream()
        .filter(b -> sources.stream().noneMatch(s -> s.contains(withoutIndent(b))))
        .toList();
  }

  @Test
  @DisplayName("each block is a piece of a recipe's test or of a sample, but the first program")
  void snippets() throws IOException {
    List<String> sources = sources();
    int blocks = 0;
    try (Stream<Path> pages = Files.list(DOCS)) {
      for (Path page : pages.filter(p -> p.toString().endsWith(".md")).toList()) {
        String text = Files.readString(page);
        List<String> foreign = new ArrayList<>(foreign(text, sources));
        // FirstProgramTest of the soft driver runs this one as it stands
        foreign.removeIf(b -> page.endsWith("first-program.md") && b.contains("void main()"));
        assertEquals(List.of(), foreign, page.toString());
        blocks += blocks(text).size();
      }
    }
    assertTrue(blocks >= 10, blocks + " blocks");
  }

  @Test
  @DisplayName("canary: a block that differs by a word is found")
  void canary() {
    String page = "```java\n  int a = 1;\n```\n```java\nint a = 2;\n```\n";
    assertEquals(
        List.of("int a = 2;\n"), foreign(page, List.of(withoutIndent("{\nint a = 1;\n}"))));
  }
}
