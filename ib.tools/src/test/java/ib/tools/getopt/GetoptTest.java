package ib.tools.getopt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 2, section 5: command lines as GNU getopt_long reads them")
class GetoptTest {
  private final Getopt getopt =
      new Getopt("prog", "Usage: prog", "d,ib-dev=", "i,ib-port=", "e,events", "c,chk", ",json");

  @Test
  @DisplayName("clusters of switches, the last with an argument attached or apart")
  void clusters() {
    assertEquals(List.of("soft0"), getopt.parse("-ecdsoft0").all("ib-dev"));
    Parsed line = getopt.parse("-ecd", "soft0", "host");
    assertTrue(line.has("events") && line.has("chk"));
    assertEquals("soft0", line.last("ib-dev"));
    assertEquals(List.of("host"), line.operands());
  }

  @Test
  @DisplayName("long options with = or the next word, abbreviated where unique")
  void longOptions() {
    assertEquals("a", getopt.parse("--ib-dev=a").last("ib-dev"));
    assertEquals("", getopt.parse("--ib-dev=").last("ib-dev"));
    assertEquals("a", getopt.parse("--ib-d", "a").last("ib-dev"));
    assertTrue(getopt.parse("--ev").has("events"));
    assertTrue(getopt.parse("--json").has("json"));
  }

  @Test
  @DisplayName("operands anywhere, and nothing is an option behind --")
  void permutation() {
    Parsed line = getopt.parse("a", "-e", "b", "--", "-c", "--x");
    assertEquals(List.of("a", "b", "-c", "--x"), line.operands());
    assertTrue(line.has("events"));
    assertFalse(line.has("chk"));
    assertEquals(List.of("-"), getopt.parse("-").operands());
  }

  @Test
  @DisplayName("a repeated option keeps its order; the last one counts")
  void repeated() {
    Parsed line = getopt.parse("-d", "a", "--ib-dev=b", "-ee");
    assertEquals(List.of("a", "b"), line.all("ib-dev"));
    assertEquals("b", line.last("ib-dev"));
    assertEquals(2, line.count("events"));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("the messages of glibc")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "-x      | prog: invalid option -- 'x'",
        "-ex     | prog: invalid option -- 'x'",
        "-d      | prog: option requires an argument -- 'd'",
        "--help  | prog: unrecognized option '--help'",
        "--no=1  | prog: unrecognized option '--no=1'",
        "--ib-dev| prog: option '--ib-dev' requires an argument",
        "--chk=1 | prog: option '--chk' doesn't allow an argument",
        "--ib-   | prog: option '--ib-' is ambiguous; possibilities: '--ib-dev' '--ib-port'",
      })
  void messages(String word, String message) {
    CommandException e = assertThrows(CommandException.class, () -> getopt.parse(word));
    assertEquals(message + "\nUsage: prog", e.getMessage());
    assertEquals(message + "\nUsage: prog", e.toString());
    assertEquals(1, e.getAsInt());
  }

  @Test
  @DisplayName("a program with its own message")
  void silent() {
    Getopt silent = Getopt.silent("Unknown option.", "Usage: rdma", "d,details");
    CommandException e = assertThrows(CommandException.class, () -> silent.parse("-x"));
    assertEquals("Unknown option.\nUsage: rdma", e.getMessage());
  }

  @Test
  @DisplayName("numbers in decimal, hexadecimal and octal")
  void numbers() {
    assertEquals(17, getopt.parse("-i", "17").number("ib-port", 1, 0, 100));
    assertEquals(17, getopt.parse("-i", "0x11").number("ib-port", 1, 0, 100));
    assertEquals(15, getopt.parse("-i", "017").number("ib-port", 1, 0, 100));
    assertEquals(1, getopt.parse().number("ib-port", 1, 5, 100));
  }

  @ParameterizedTest
  @DisplayName("U9: a bad number is answered with what is wanted, and the usage")
  @ValueSource(strings = {"", "x", "1x", "#1", "101", "-1", "99999999999999999999", "1.0"})
  void badNumbers(String text) {
    Parsed line = getopt.parse("--ib-port=" + text);
    CommandException e =
        assertThrows(CommandException.class, () -> line.number("ib-port", 1, 0, 100));
    assertEquals(
        "prog: option '--ib-port' is '"
            + text
            + "', it must be a number from 0 to 100\nUsage: prog",
        e.getMessage());
  }

  @Test
  @DisplayName("U9: surplus operands are answered with the first of them, and the usage")
  void surplus() {
    assertEquals(
        "prog: one operand too many: 'a'\nUsage: prog",
        assertThrows(CommandException.class, () -> getopt.parse("a").atMost(0)).getMessage());
    assertEquals(List.of("a"), getopt.parse("a").atMost(1).operands());
  }
}
