package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of {@code docs/clauses.md} that says how each clause is checked. */
class ClauseChecksTest {
  private static final Path ROOT = Path.of("../..");
  private static final Path PAGE = ROOT.resolve("docs/clauses.md");
  private static final String HEAD = "| clause | checked |";

  @Test
  @DisplayName("the table is that of the sources; -Dib.manual=write writes it")
  void table() throws IOException {
    String table = ClauseChecks.of(ROOT).table();
    String page = Files.readString(PAGE);
    int from = page.indexOf(HEAD);
    assertTrue(from > 0, PAGE + " has no table that begins with " + HEAD);
    int to = page.indexOf("\n\n", from) + 1;
    if ("write".equals(System.getProperty("ib.manual"))) {
      Files.writeString(PAGE, page.substring(0, from) + table + page.substring(to));
    } else {
      assertEquals(table, page.substring(from, to), "-Dib.manual=write writes it");
    }
  }

  private static ClauseChecks checks(String module, String body, String... cases) {
    String path = module + "/src/main/java/X.java";
    Source s = Source.parse(path, "class X { void f() { " + body + " } }");
    return new ClauseChecks(List.of(s), List.of(cases));
  }

  @Test
  @DisplayName(
      "canary: a report below a condition on checking, beside it, in the verifier, nowhere")
  void canary() {
    String below = "if (contract.checking()) { report(\"S20\"); } else { report(\"S24\"); }";
    ClauseChecks core = checks("ib.core", below + " g(\"as S26 says\");", "CALL-001 none (S2-S4)");
    assertEquals("with `ib.check`", core.checked("S20"));
    assertEquals("always", core.checked("S24"));
    assertEquals("by tests only", core.checked("S26"));
    assertTrue(core.table().contains("| S3 | by tests only | yes |\n"), core.table());
    assertTrue(core.table().contains("| S5 | by tests only | no |\n"), core.table());
    ClauseChecks verifier = checks("ib.verifier", "report(\"S2-S4\");");
    assertEquals("with the verifier", verifier.checked("S3"));
    assertEquals("by tests only", checks("ib.tools", below).checked("S24"));
    ClauseChecks both = checks("ib.core", below + " report(\"S20\");");
    assertEquals("always, more with `ib.check`", both.checked("S20"));
  }
}
