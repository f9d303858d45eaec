package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("DESIGN 4: exceptions from the house rules, and the engine's one copier")
class CodeRulesTest {
  @Test
  @DisplayName("W4: each exception for many parameters has a method that needs it, and a reason")
  void exceptions() throws IOException {
    List<Source> sources = new House(Path.of("../..").toRealPath()).sources();
    assertEquals(List.of(), CodeRules.unused(sources));
    assertTrue(CodeRules.MANY_PARAMETERS.values().stream().noneMatch(String::isBlank));
  }

  @Test
  @DisplayName("canary: an exception that no method needs is caught")
  void exceptionCanary() {
    String path = "ib.core/src/main/java/Bth.java";
    String many = "class Bth { void set(int a, int b, int c, int d, int e, int f, int g) {} }";
    int all = CodeRules.MANY_PARAMETERS.size();
    assertEquals(all - 1, CodeRules.unused(List.of(Source.parse(path, many))).size());
    String few = "class Bth { void set(int a, int b, int c, int d, int e, int f) {} }";
    assertEquals(all, CodeRules.unused(List.of(Source.parse(path, few))).size());
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @DisplayName("canary: W5, a second copier beside the engine's one is caught")
  @CsvSource({
    "ib.engine.mr, Mover, MemorySegment.copy(a; 0; b; 0; 1), 1",
    "ib.engine.qp, Reply, a.copyFrom(b), 1",
    "ib.engine.mr, Copier, MemorySegment.copy(a; 0; b; 0; 1), 0",
    "ib.engine.capture, Pcapng, a.copyFrom(b), 0",
  })
  void copierCanary(String where, String type, String call, int found) {
    String text = "package %s; class %s { void f() { %s; } }";
    String body = text.formatted(where, type, call.replace(';', ','));
    String path = "ib.engine/src/main/java/" + type + ".java";
    assertEquals(found, CodeRules.check(Source.parse(path, body)).size());
  }
}
