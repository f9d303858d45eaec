package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 11, section 3: the rules of the language find what they are for")
class LanguageRulesTest {

  @ParameterizedTest(name = "{0}")
  @DisplayName("canary: a word that names no actor is caught, once; in code and in tests it is not")
  @CsvSource(
      delimiter = '|',
      value = {
        "// for whoever waits",
        "/** Waits until somebody polls. */",
        "/* nobody waits */",
        "// he is left alone",
        "// the peer is told",
        "// what is borne of a source",
        "/** A queue pair. The owner's. */",
        "// there is room for it",
        "// behind the door",
        "/** What is seen of it. */",
        "/** The same for a group. */",
        "/** It is the last one. */",
        "/** Its name. */",
        "/** From now on nothing is sent. */",
      })
  void languageCanary(String comment) {
    String path = "/src/main/java/X.java";
    String text = comment + "\nclass X { int he, room, door; char c = '\"'; }";
    for (String module : LanguageRules.EDITED) {
      assertEquals(1, LanguageRules.check(Source.parse(module + path, text)).size(), module);
    }
    assertEquals(
        List.of(), LanguageRules.check(Source.parse("cnf/tidy/src/test/java/X.java", text)));
  }

  @Test
  @DisplayName(
      "canary: a message with such a word is caught; one with room, as tools print, is not")
  void languageOfTexts() {
    String path = LanguageRules.EDITED.iterator().next() + "/src/main/java/X.java";
    String text = "class X { String s = \"taken by %s\"; }";
    assertEquals(
        1, LanguageRules.check(Source.parse(path, String.format(text, "some" + "body"))).size());
    assertEquals(List.of(), LanguageRules.check(Source.parse(path, String.format(text, "room 5"))));
    assertEquals(List.of(), LanguageRules.check(Source.parse(path, "class X { // shelter \n }")));
    String wrapped = "/** A queue pair. The\n * owner's. */ class X {}";
    assertEquals(1, LanguageRules.check(Source.parse(path, wrapped)).size());
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("canary: the name of a test is checked, and a page that no clone holds is not cited")
  @CsvSource(
      delimiter = '|',
      value = {
        "@DisplayName(\"S9: a failed completion is t%s at once\")|1",
        "@DisplayName(\"S9: a consumer\" + \" who has t%s \")|1",
        "// as t%s; only names of tests are checked here|0",
        "// rocev2.m%s, section 1|1",
        "// (contract 2.6-4)|1",
        "// (the contract, and a contract for 2 years)|0",
      })
  void languageOfTests(String line, int violations) {
    String path = "/src/test/java/XTest.java";
    String text = line.replace("t%s", "to" + "ld").replace("m%s", "m" + "d") + "\nclass XTest {}";
    for (String module : LanguageRules.EDITED) {
      assertEquals(
          violations, LanguageRules.check(Source.parse(module + path, text)).size(), module);
    }
    assertEquals(List.of(), LanguageRules.check(Source.parse("cnf/tidy" + path, text)));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"main", "test"})
  @DisplayName("canary: a limit is called MAX_ or MIN_, not MOST or LEAST, alone or in a name")
  void limits(String folder) {
    for (String module : LanguageRules.NAMED) {
      for (String name : List.of("KEYS_MOST", "MOST", "LEAST_NS", "WAIT_LEAST_NS")) {
        assertEquals(1, LanguageRules.check(limit(module, folder, name)).size(), name);
      }
      for (String name : List.of("MAX_KEYS", "MIN_WAIT_NS", "ALMOST", "MOSTLY_FULL")) {
        assertEquals(List.of(), LanguageRules.check(limit(module, folder, name)));
      }
    }
  }

  private static Source limit(String module, String folder, String name) {
    String code = "class X { private static final int " + name + " = 1; }";
    return Source.parse(module + "/src/" + folder + "/java/X.java", code);
  }

  @Test
  @DisplayName("canary: a comment behind code that the formatter had to break is caught")
  void brokenComments() {
    String path = LanguageRules.EDITED.iterator().next() + "/src/main/java/X.java";
    String code = "class X {\n  int a; // " + "long ".repeat(17);
    assertEquals(1, LanguageRules.check(Source.parse(path, code + "l\n  // over\n}")).size());
    assertEquals(
        List.of(), LanguageRules.check(Source.parse(path, code + "\n  // of b\n  int b;\n}")));
    assertEquals(List.of(), LanguageRules.check(Source.parse(path, "// a\n// b\nclass X {}")));
  }
}
