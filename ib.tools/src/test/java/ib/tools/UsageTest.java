package ib.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandSession;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("U5: a usage names the options that its command accepts, and no others")
class UsageTest {
  /** An option that no command has: a command line with it ends in the parser. */
  private static final String UNKNOWN = "--no-such-option";

  private static final Pattern LINE = Pattern.compile("^ +(-.*?)(?:\\s{2,}|\\t|$)");
  private static final Pattern NAME = Pattern.compile("'(--[A-Za-z][^']*)'");
  private static final String LETTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  private static final Pattern OPTION = Pattern.compile("--?[A-Za-z][A-Za-z_-]*");

  private final IbCore core = new FakeCore(Rxe.rxe0());

  @Test
  @DisplayName(
      "B13: each command takes words, and refuses by its usage those that it does not know")
  void words() throws Exception {
    List<String> deaf = new ArrayList<>();
    for (CommandTable table : AllCommands.of(core)) {
      for (String name : table.names()) {
        String why = refusal(name, UNKNOWN, false);
        if (why.startsWith("accepted")) {
          deaf.add(name + ": " + why);
        }
      }
    }
    assertEquals(List.of(), deaf);
  }

  /** Each that has a usage file; those of rdma's objects are one command. */
  static List<String> commands() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/ib/tools/usage"))) {
      return files
          .map(f -> f.getFileName().toString().replace(".txt", ""))
          .filter(n -> !n.matches("rdma|rdma_(dev|link|monitor|resource|statistic|system)"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void acceptsWhatItsUsageNames(String command) throws Exception {
    List<String> tried = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (String line : Usage.of(command).lines().toList()) {
      Matcher listed = LINE.matcher(line);
      if (!listed.find()) {
        continue;
      }
      String names = listed.group(1);
      boolean argument = names.contains("<");
      Matcher option = OPTION.matcher(names.replaceAll("<[^>]*>", ""));
      while (option.find()) {
        tried.add(option.group());
        if (!refusal(command, option.group(), argument).contains(UNKNOWN.substring(2))) {
          refused.add(option.group());
        }
      }
    }
    assertFalse(tried.isEmpty(), "no option was found in the usage");
    assertEquals(List.of(), refused);
  }

  @ParameterizedTest
  @MethodSource("commands")
  @DisplayName("a usage names each option that its command accepts")
  void namesWhatItAccepts(String command) throws Exception {
    String usage = Usage.of(command);
    List<String> unlisted = new ArrayList<>();
    for (String option : accepted(command)) {
      if (!usage.matches("(?s).*(?<![\\w-])" + option + "(?![\\w-]).*")) {
        unlisted.add(option);
      }
    }
    assertEquals(List.of(), unlisted, command);
  }

  /** {@return the options that the parser takes, as it says itself: each letter and long name} */
  private List<String> accepted(String command) throws Exception {
    List<String> options = new ArrayList<>();
    for (char letter : LETTERS.toCharArray()) {
      String why = refusal(command, "-" + letter, true);
      if (!why.contains("invalid option -- '" + letter + "'")) {
        assertTrue(why.contains(UNKNOWN.substring(2)), why);
        options.add("-" + letter);
      }
    }
    Matcher name = NAME.matcher(refusal(command, "--=", false)); // ambiguous: all that there are
    while (name.find()) {
      options.add(name.group(1));
    }
    assertTrue(options.size() > 1, "no option found");
    return options;
  }

  @ParameterizedTest
  @MethodSource("commands")
  @DisplayName("an option of the original is the same here, or it is refused by its name")
  void originals(String command) throws Exception {
    List<String> own = accepted(command);
    List<String> other = new ArrayList<>();
    for (String line : lines()) {
      String[] fact = line.split("\t");
      if (!fact[0].equals(command)) {
        continue;
      }
      String name = "--" + fact[2];
      boolean here = own.contains(name);
      if (!fact[1].equals("-") && own.contains("-" + fact[1]) != here) {
        other.add("-" + fact[1] + ", " + name);
      }
      if (!here) {
        String why = refusal(command, name, false);
        assertTrue(why.contains("unrecognized option '" + name), why);
      }
    }
    assertEquals(List.of(), other, "a letter that means something else here, or only half there");
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = UsageTest.class.getResourceAsStream("originals.tsv")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(l -> !l.startsWith("#")).toList();
    }
  }

  private String refusal(String name, String option, boolean argument) throws Exception {
    CommandTable table =
        AllCommands.of(core).stream()
            .filter(t -> t.names().contains(name))
            .findFirst()
            .orElseThrow();
    String[] args = argument ? new String[] {option, "1", UNKNOWN} : new String[] {option, UNKNOWN};
    try (CommandSession session =
        new CommandProcessorImpl(null).createSession(System.in, System.err, System.err)) {
      return "accepted " + UNKNOWN + ": " + table._main(session, name, args);
    } catch (CommandException refusal) {
      return String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
    }
  }
}
