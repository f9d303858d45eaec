package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A18: no reference, tracker or listener takes a service of another runtime")
class ImportedRulesTest {
  @Test
  @DisplayName("none of the product does")
  void house() throws IOException {
    List<Source> sources = new House(Path.of("../..").toRealPath()).sources();
    List<String> constants =
        sources.stream().flatMap(s -> ImportedRules.constants(s).stream()).distinct().toList();
    assertEquals(
        List.of(),
        sources.stream().flatMap(s -> ImportedRules.check(s, constants).stream()).toList());
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("canary: each form without the filter is caught, and passes with it")
  @CsvSource(
      delimiter = '#',
      value = {
        "@Reference IbCore core; # @Reference(target = LocalServices.ONLY) IbCore core;",
        "@Reference(cardinality = X) A a; # @Reference(target = LOCAL, cardinality = X) A a;",
        "Object o = c.getServiceReference(A.class); # Object o = c.f();",
        "Object o = c.getServiceReferences(A.class, null); # Object o = c.getServiceReferences(A.class, LOCAL);",
        "Object o = new ServiceTracker<>(c, A.class, null); # Object o = new ServiceTracker<>(c, f(LOCAL), null);",
        "Object o = c.addServiceListener(l, \"(a=b)\"); # Object o = c.addServiceListener(l, LOCAL);",
        "Object o = c.addServiceListener(l, \"(a=b)\"); # Object o = c.addServiceListener(l);",
      })
  void canary(String wrong, String right) {
    String path = "ib.core/src/main/java/X.java";
    String constant = "static final String LOCAL = \"(!(service.imported=*))\";";
    List<String> constants =
        ImportedRules.constants(Source.parse(path, "class X { " + constant + " }"));
    assertEquals(List.of("LOCAL"), constants);
    Source bad = Source.parse(path, "class X { " + wrong + " }");
    assertEquals(1, ImportedRules.check(bad, constants).size());
    Source good = Source.parse(path, "class X { " + right + " }");
    assertEquals(List.of(), ImportedRules.check(good, constants));
  }
}
