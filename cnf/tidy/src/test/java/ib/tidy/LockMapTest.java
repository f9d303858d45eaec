package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 11, W4: the map of locks finds what it is for")
class LockMapTest {
  private static final String FOLDER =
      LockMap.MAPPED.iterator().next() + "/src/main/java/ib/a/"; // any of the modules

  @ParameterizedTest(name = "{0}")
  @DisplayName("canary: a lock that the page of the package does not name is caught")
  @CsvSource(
      delimiter = '|',
      value = {
        "synchronized void run() {}",
        "void run() { synchronized (this) { run(); } }",
        "static class Nested { synchronized void run() {} }",
        "final Runnable r = new Runnable() { public synchronized void run() {} };",
        "final ReentrantLock lock = new ReentrantLock();",
        "final ReadWriteLock lock = new ReentrantReadWriteLock(true);",
        "final Lock lock = new java.util.concurrent.locks.ReentrantLock();",
      })
  void unnamed(String member) {
    Source x = parse("X", "class X { " + member + " }");
    String line = FOLDER + "X.java:2: the page of the package does not name the lock of X";
    assertEquals(List.of(line), LockMap.check(List.of(x)), "no page");
    assertEquals(List.of(line), LockMap.check(List.of(x, page("The class {@code X}."))));
    assertEquals(List.of(line), LockMap.check(List.of(x, page("Locks: that of {@code XY}."))));
    assertEquals(List.of(line), LockMap.check(List.of(x, page("{@code X}. Locks: none."))));
    assertEquals(List.of(), LockMap.check(List.of(x, page("Locks: that of {@code X}."))));
    assertEquals(List.of(), LockMap.check(List.of(x, page("Locks: that of {@code\n * X}."))));
  }

  @Test
  @DisplayName("a class without a lock, and a module without a map, need no page")
  void nothing() {
    String reader = "class X { final ReentrantLock lock = graph.leaf(); /* synchronized */ }";
    assertEquals(List.of(), LockMap.check(List.of(parse("X", reader))));
    String path = "itests/src/main/java/X.java";
    Source other = Source.parse(path, "class X { synchronized void run() {} }");
    assertEquals(List.of(), LockMap.check(List.of(other)));
  }

  private static Source page(String text) {
    return parse("package-info", "/** " + text + " */");
  }

  private static Source parse(String name, String text) {
    boolean page = name.equals("package-info");
    String java = page ? text + "\npackage ib.a;" : "package ib.a;\n" + text;
    return Source.parse(FOLDER + name + ".java", java);
  }
}
