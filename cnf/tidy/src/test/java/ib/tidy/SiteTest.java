package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The javadoc site: the packages that bundles export, and the kit, which tests call. */
@DisplayName("U23: the javadoc site has what users call, and nothing else")
class SiteTest {
  private static final Path TOP = Path.of("../..");
  private static final Pattern SITE =
      Pattern.compile(
          "<overview>(.*?)</overview>.*?<excludePackageNames>(.*?)</excludePackageNames>",
          Pattern.DOTALL);

  private static Matcher site() throws IOException {
    Matcher m = SITE.matcher(Files.readString(TOP.resolve("pom.xml")));
    assertTrue(m.find(), "pom.xml has no site");
    return m;
  }

  /** Whether javadoc leaves a package out: it is named, or one above it with a star is. */
  private static boolean excluded(String name, String patterns) {
    return List.of(patterns.split(":")).stream()
        .anyMatch(
            p ->
                p.endsWith(".*")
                    ? name.startsWith(p.substring(0, p.length() - 1))
                    : name.equals(p));
  }

  /**
   * The page of a package without classes introduces those below; woven code alone calls probes.
   */
  private static final Set<String> BARE = Set.of("ib.core", "ib.verifier.probe");

  private static boolean called(Source page) {
    return page.text().contains("@Export") || page.room().equals("ib.kit");
  }

  @Test
  @DisplayName("a package is left out unless a bundle exports it or it is the kit's")
  void packages() throws IOException {
    String patterns = site().group(2);
    Set<String> wrong = new TreeSet<>();
    int shown = 0;
    for (Source s : new House(TOP.toRealPath()).sources()) {
      boolean page = s.product() && s.fileName().equals("package-info.java");
      if (page && !s.room().startsWith("samples") && !BARE.contains(s.packageName())) {
        shown += called(s) ? 1 : 0;
        if (called(s) == excluded(s.packageName(), patterns)) {
          wrong.add(s.packageName() + (called(s) ? " is missing" : " is internal, and shown"));
        }
      }
    }
    assertEquals(Set.of(), wrong);
    assertTrue(shown > 15, "only " + shown);
  }

  @Test
  @DisplayName("canary: a package is excluded by its name and by a star above it, not by a prefix")
  void patterns() {
    assertTrue(excluded("ib.a", "ib.b:ib.a"));
    assertTrue(excluded("ib.a.b.c", "ib.a.*"));
    assertEquals(false, excluded("ib.a", "ib.a.*"));
    assertEquals(false, excluded("ib.ab", "ib.a:ib.a.*"));
  }

  @Test
  @DisplayName("it begins with an overview")
  void overview() throws IOException {
    String file = site().group(1).replace("${maven.multiModuleProjectDirectory}/", "");
    assertTrue(Files.readString(TOP.resolve(file)).contains("Where to begin"), file);
  }
}
