package ib.itests;

import static org.junit.Assert.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of all commands, made from what the commands of a runtime say of themselves.
 *
 * @param names of the commands, in the order of the page
 * @param text of the page
 */
record CommandsPage(List<String> names, String text) {
  private static final String HEAD =
      """
      # All commands

      The output of `help`, `help NAME` and `NAME --help` of each command. A test writes this page (`GuideIT`,
      with `-Dib.manual=write`). Two commands are not in this list: `ib:netif` of the bundle
      `ib.ulp.ipoib` ([fabric](fabric.md)), and `ib:verifier`, which is there with
      `IB_OPTS=-Dib.verify=true`. The Felix shell's own commands (`lb`, `grep`, …) are listed by `gogo:type`.

      """;

  private static final Pattern COMMAND = Pattern.compile("  (\\w+) +(\\S.*)");
  private static final String END = "end-of-command";

  /** Asks the commands of a distribution. */
  static CommandsPage of(Path home) throws Exception {
    List<String> help = say(home, List.of("help")).getFirst().lines().toList();
    List<String> names = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (String line : help) {
      Matcher command = COMMAND.matcher(line);
      if (command.matches()) {
        names.add(command.group(1));
        lines.add("help " + command.group(1));
        lines.add(command.group(1) + " --help");
      }
    }
    List<String> said = say(home, lines);
    StringBuilder page = new StringBuilder(HEAD);
    int next = 0;
    for (String line : help) {
      if (COMMAND.matcher(line).matches()) {
        page.append(section(names.get(next), said.get(2 * next), said.get(2 * next + 1)));
        next++;
      } else if (!line.startsWith("help NAME")) {
        page.append("## ").append(line).append("\n\n");
      }
    }
    return new CommandsPage(names, page.toString().stripTrailing() + "\n");
  }

  private static String section(String name, String about, String options) {
    StringBuilder out = new StringBuilder("### `" + name + "`\n\n");
    List<String> lines = about.lines().toList();
    out.append(lines.getFirst().replaceFirst("^\\w+: ", "")).append("\n\n");
    lines.stream().skip(1).forEach(l -> out.append("    ").append(l).append('\n'));
    String usage =
        options.lines().filter(l -> !l.contains("--help")).reduce("", (a, b) -> a + "\n" + b);
    usage.strip().lines().forEach(l -> out.append(("    " + l).stripTrailing()).append('\n'));
    return out.append('\n').toString();
  }

  /** {@return what each line prints in one shell, where the failure of a line ends only itself} */
  private static List<String> say(Path home, List<String> lines) throws Exception {
    StringBuilder input = new StringBuilder();
    lines.forEach(l -> input.append(l).append("\necho ").append(END).append('\n'));
    Program run = Program.ib(home, input + "exit\n", Map.of("IB_LOG", "WARN"));
    String[] said = run.out().split(END + "\n", -1);
    assertEquals(run.out() + run.err(), lines.size() + 1, said.length);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      texts.add(said[i].replaceAll("(?m)^(g! )+", "").replaceAll("\\s+$", ""));
    }
    return texts;
  }
}
