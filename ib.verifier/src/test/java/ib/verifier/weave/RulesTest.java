package ib.verifier.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 15: the rules say which calls may block")
class RulesTest {
  private final Hierarchy hierarchy = new Hierarchy(RulesTest.class.getClassLoader());

  @ParameterizedTest
  @CsvSource({
    "java/lang/Thread, sleep, 1, java.lang.Thread.sleep",
    "java/util/concurrent/LinkedBlockingDeque, take, 0, java.util.concurrent.BlockingQueue.take",
    "java/util/concurrent/ArrayBlockingQueue, poll, 2, java.util.concurrent.BlockingQueue.poll/2",
    "java/util/concurrent/ArrayBlockingQueue, poll, 0,",
    "java/util/concurrent/CompletableFuture, get, 0, java.util.concurrent.Future.get",
    "java/util/concurrent/locks/ReentrantLock, tryLock, 0,",
    "java/util/HashMap, get, 1,",
    "java/nio/file/Files, list, 1, java.nio.file.Files.list",
    "java/util/concurrent/Semaphore, acquire, 1, java.util.concurrent.Semaphore.acquire",
    "java/util/concurrent/locks/StampedLock, tryReadLock, 0,",
    "java/io/BufferedInputStream, read, 1, java.io.InputStream.read",
    "java/io/ByteArrayInputStream, read, 1,",
    "java/nio/channels/FileChannel, tryLock, 0,",
    "no/such/Type, sleep, 1,",
  })
  @DisplayName("V2: a rule of a class holds for its subtypes, and for the given parameters only")
  void find(String owner, String method, int parameters, String rule) {
    Optional<String> found = BlockingRules.standard().find(hierarchy, owner, method, parameters);
    assertEquals(Optional.ofNullable(rule), found);
  }

  @ParameterizedTest
  @CsvSource({"QueuePair, true", "CompletionQueue, true", "AddressHandle, false"})
  @DisplayName("S5: any context destroys an address handle; its nearest declaration counts")
  void nearest(String type, boolean maySleep) {
    Calls calls = new Calls(BlockingRules.standard(), hierarchy, "test");
    assertEquals(maySleep, calls.maySleep("ib/core/verbs/" + type, "close()V"));
  }

  @ParameterizedTest
  @CsvSource({
    "java.lang.Thread.sleep",
    "sleep use a timer",
    "java.lang.Thread sleep",
    "java.lang.Thread.s*p sleep",
  })
  @DisplayName("a rule file with a mistake says which line")
  void mistake(String line) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> BlockingRules.parse("a.rules", List.of("# rules", "", line)));
    assertEquals(
        "a.rules:3: no rule (class.method, then what to do instead): " + line, e.getMessage());
  }

  @Test
  @DisplayName("a rule that is there twice says which line")
  void twice() {
    List<String> lines = List.of("a.B.c one", "a.B.c two");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> BlockingRules.parse("a.rules", lines));
    assertEquals("a.rules:2: a second rule of a.B.c", e.getMessage());
  }

  @Test
  @DisplayName("each rule of the bundle names a method that is there")
  void exist() throws Exception {
    try (InputStream in = BlockingRules.class.getResourceAsStream("blocking.rules")) {
      List<String> rules =
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .map(line -> line.split("[ /]")[0])
              .toList();
      assertTrue(rules.size() > 20, rules::toString);
      for (String rule : rules) {
        int dot = rule.lastIndexOf('.');
        Class<?> type = Class.forName(rule.substring(0, dot));
        String method = rule.substring(dot + 1).replace("*", ".*");
        assertTrue(
            method.equals("new")
                || Arrays.stream(type.getDeclaredMethods())
                    .anyMatch(m -> m.getName().matches(method)),
            rule);
      }
    }
  }
}
