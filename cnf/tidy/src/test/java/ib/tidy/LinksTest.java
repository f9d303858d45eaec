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
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What the documents point at is there: {@code docs/architecture.md} names the files of each way.
 */
class LinksTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern DEFINED = Pattern.compile("(?m)^\\[([\\w.]+)]: (\\S+)$");
  private static final Pattern INLINE = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern USED = Pattern.compile("(?<!])\\[([A-Z][\\w.]*)](?![(:])");

  /** {@return what of a document's links leads nowhere} */
  private static List<String> broken(String text, Predicate<String> exists) {
    List<String> broken = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    Matcher defined = DEFINED.matcher(text);
    while (defined.find()) {
      names.add(defined.group(1));
      if (!exists.test(defined.group(2))) {
        broken.add(defined.group(2));
      }
    }
    Matcher inline = INLINE.matcher(text);
    while (inline.find()) {
      String to = inline.group(1);
      if (!to.startsWith("http") && !to.startsWith("#") && !exists.test(to)) {
        broken.add(to);
      }
    }
    Matcher used = USED.matcher(text);
    while (!names.isEmpty() && used.find()) {
      boolean other = text.startsWith("[", used.end()); // [Inbound][mad.Inbound]
      if (!other && !names.contains(used.group(1))) {
        broken.add("[" + used.group(1) + "]");
      }
    }
    return broken;
  }

  @Test
  @DisplayName("every file that a document links to exists, and every name has its link")
  void links() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder :
        List.of("", "docs", "samples/plain", "samples/kv", "samples/driver", "samples/nvmet")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(f -> f.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    assertTrue(pages.stream().anyMatch(p -> p.endsWith("docs/architecture.md")), pages.toString());
    for (Path page : pages) {
      Path folder = page.getParent();
      List<String> broken =
          broken(Files.readString(page), to -> Files.exists(folder.resolve(to.split("#")[0])));
      assertEquals(List.of(), broken, page.toString());
    }
  }

  @Test
  @DisplayName("canary: a file that is gone, and a name without a link, are noticed")
  void canary() {
    String text = "[A] and [B], [C][D.C], [x](gone.md), [y](#z)\n\n[A]: a.java\n[D.C]: c.java\n";
    assertEquals(List.of("c.java", "gone.md", "[B]"), broken(text, to -> to.equals("a.java")));
  }
}
