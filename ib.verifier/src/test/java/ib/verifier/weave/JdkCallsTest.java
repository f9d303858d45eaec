package ib.verifier.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("what may sleep is derived from the JDK: each method has a rule, or a reason")
class JdkCallsTest {
  private static List<String> harmless;
  private static SortedSet<String> sleeping;
  private static SortedSet<String> unruled;

  @BeforeAll
  static void derive() throws Exception {
    try (InputStream in = JdkCallsTest.class.getResourceAsStream("harmless.rules")) {
      harmless =
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();
    }
    JdkCalls jdk = new JdkCalls();
    for (String module : List.of("java.base", "java.net.http", "java.logging")) {
      jdk.addModule(module);
    }
    sleeping = jdk.sleeping();
    unruled = JdkCalls.unruled(sleeping, BlockingRules.standard());
  }

  private static Predicate<String> pattern(String line) {
    String glob = line.split(" ")[0];
    return Pattern.compile("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E/\\d+").asMatchPredicate();
  }

  private static SortedSet<String> unknown(SortedSet<String> methods) {
    SortedSet<String> unknown = new TreeSet<>(methods);
    harmless.forEach(line -> unknown.removeIf(pattern(line)));
    return unknown;
  }

  @Test
  @DisplayName("no method of the JDK that may wait is in neither list")
  void known() {
    assertEquals(new TreeSet<>(), unknown(unruled));
  }

  @Test
  @DisplayName("each harmless entry has a reason, and matches a method")
  void used() {
    List<String> bad =
        harmless.stream()
            .filter(l -> !l.matches("\\S+ \\S+.*") || unruled.stream().noneMatch(pattern(l)))
            .toList();
    assertEquals(List.of(), bad);
  }

  @ParameterizedTest
  @DisplayName("the derivation finds what is known to wait: by a park, a native call, a subclass")
  @ValueSource(
      strings = {
        "java/util/concurrent/TimeUnit.sleep(J)V",
        "java/util/concurrent/locks/StampedLock.readLock()J",
        "java/util/concurrent/LinkedBlockingQueue.take()Ljava/lang/Object;",
        "java/util/concurrent/BlockingDeque.takeFirst()Ljava/lang/Object;",
        "java/util/concurrent/ForkJoinTask.join()Ljava/lang/Object;",
        "java/io/RandomAccessFile.read()I",
        "java/io/InputStream.readAllBytes()[B",
        "java/io/PrintStream.write([BII)V",
        "java/nio/channels/SocketChannel.connect(Ljava/net/SocketAddress;)Z",
        "java/nio/channels/FileChannel.force(Z)V",
      })
  void finds(String method) {
    assertTrue(sleeping.contains(method), sleeping::toString);
  }

  /** Stands for a class of a later JDK. */
  public abstract static class Later {
    /** Waits itself. */
    public void waits() {
      LockSupport.park();
    }

    /** Waits by its subclass. */
    public abstract void waitsBelow();

    /** Waits by what it calls. */
    public void calls() {
      waitsBelow();
    }

    /** Waits not. */
    public void returns() {}

    /** Is not public. */
    void hides() {
      LockSupport.park();
    }
  }

  /** Waits. */
  static final class Below extends Later {
    @Override
    public void waitsBelow() {
      waits();
    }
  }

  @Test
  @DisplayName("a method that a later JDK brings is reported")
  void later() throws Exception {
    JdkCalls jdk = new JdkCalls();
    jdk.addPublic(Later.class);
    jdk.addPublic(Below.class);
    SortedSet<String> left = JdkCalls.unruled(jdk.sleeping(), BlockingRules.standard());
    String type = Later.class.getName() + ".";
    assertEquals(
        new TreeSet<>(List.of(type + "calls/0", type + "waits/0", type + "waitsBelow/0")),
        unknown(left));
  }
}
