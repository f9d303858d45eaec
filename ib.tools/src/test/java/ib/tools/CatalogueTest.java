package ib.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.tools.shell.Catalogue;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.felix.service.command.Descriptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U24: help lists the tables of all components, and methods of other bundles")
class CatalogueTest {
  private static final Path PAGE = Path.of("../docs/commands.md");

  private final List<CommandTable> tables = AllCommands.of(new FakeCore(Rxe.rxe0()));
  private final Catalogue all = new Catalogue();

  /** Commands as another bundle has them. */
  public static final class Methods {
    /** A command that help lists. */
    @Descriptor("said by a descriptor")
    public String listed(@Descriptor("[-x]") String... args) {
      return "";
    }

    /** A command that help does not list. */
    public String silent(String... args) {
      return "";
    }
  }

  @BeforeEach
  void fill() {
    for (CommandTable table : tables) {
      table.rows().forEach(r -> all.add(r.group(), r.name(), r.arguments(), r.text()));
    }
    all.add(ShellCommands.class, List.of("default", "help", "welcome", "color"), null);
  }

  @Test
  @DisplayName("the page of all commands has these groups, names, texts and usages, in this order")
  void page() throws Exception {
    List<String> expected = new ArrayList<>();
    for (String line : all.text().lines().toList()) {
      String name = line.strip().split(" ")[0];
      if (line.startsWith("  ")) {
        expected.add("### `" + name + "`");
        expected.addAll(
            about(name).lines().map(l -> l.replaceFirst("^" + name + ": ", "")).toList());
      } else if (!line.startsWith("help NAME")) {
        expected.add("## " + line);
      }
    }
    assertEquals(expected, said());
  }

  private String about(String name) {
    String about = all.about(name);
    assertNotNull(about, name);
    return about.stripTrailing();
  }

  /** {@return the headings of the page, and of each command the text and the usage} */
  private static List<String> said() throws Exception {
    List<String> said = new ArrayList<>();
    boolean text = false;
    for (String line : Files.readAllLines(PAGE)) {
      boolean command = line.startsWith("### ");
      if (command || line.startsWith("## ") || line.startsWith("    usage: ")) {
        said.add(line.strip());
      } else if (text && !line.isEmpty()) {
        said.add(line);
      }
      text = command || text && line.isEmpty();
    }
    return said;
  }

  @Test
  @DisplayName("a name is in one table only")
  void names() {
    List<String> names = tables.stream().flatMap(t -> t.names().stream()).toList();
    assertEquals(names.stream().distinct().toList(), names);
  }

  @Test
  @DisplayName("a method with a descriptor is listed in the group of its service, or the last")
  void methods() {
    all.add(Methods.class, List.of("listed", "silent"), null);
    assertEquals(
        "listed: said by a descriptor%nusage: listed [-x]".formatted(), all.about("listed"));
    assertNull(all.about("silent"));
    List<String> lines = all.text().lines().toList();
    int last = lines.indexOf("this runtime (ib:NAME)");
    assertEquals(true, last < lines.indexOf("  listed             said by a descriptor"));
  }
}
