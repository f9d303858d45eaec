package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, point 3: the arguments of ib kit")
final class KitLineTest {
  @Test
  @DisplayName("jars, configurations, cases and the report, in any order")
  void all() {
    KitLine line = KitLine.of(List.of("a-x.cfg", "a.jar", "-c", "CTX-.*", "b.jar", "-o", "r.html"));
    List<Path> jars = List.of(Path.of("a.jar"), Path.of("b.jar"));
    Path report = Path.of("r.html");
    assertEquals(new KitLine(jars, List.of(Path.of("a-x.cfg")), "CTX-.*", report), line);
  }

  @Test
  @DisplayName("a jar alone: every case, report.html")
  void one() {
    Path report = Path.of("report.html");
    assertEquals(
        new KitLine(List.of(Path.of("a.jar")), List.of(), ".*", report),
        KitLine.of(List.of("a.jar")));
  }

  @Test
  @DisplayName("no jar, an unknown option, an option without its value: no line")
  void none() {
    assertNull(KitLine.of(List.of()));
    assertNull(KitLine.of(List.of("a.cfg")));
    assertNull(KitLine.of(List.of("-x", "a.jar")));
    assertNull(KitLine.of(List.of("a.jar", "-c")));
  }
}
