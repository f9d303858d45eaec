package ib.driver.rxe.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbException;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 11, section 2: io = native in a JVM that denies native access")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NativeDeniedTest {
  private static final String ADDRESS = "127.0.19.3";

  /** Opens a device, with the value of {@code io} from the arguments, and prints what it gets. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      Map<String, Object> keys = Map.of("address", ADDRESS, "io", arguments[0]);
      try (RxeHost host = RxeHost.options().device("rxe0", keys).open()) {
        out.println("opened " + host.devices().size());
      } catch (IbException e) {
        out.println(e.errno() + "\n" + e.why() + "\n" + e.hint());
      }
    }
  }

  /** {@return what it printed, its last line first} */
  private static List<String> run(String io) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            System.getProperty("java.home") + "/bin/java",
            "--illegal-native-access=deny",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            io);
    Process child = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    try {
      List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
      assertEquals(0, child.waitFor(), said::toString);
      return said.reversed(); // the log comes before
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  @DisplayName("the error says that the JVM denies native access, and what permits it")
  void denied() throws Exception {
    List<String> said = run("native");
    assertEquals("EOPNOTSUPP", said.get(2), said::toString);
    assertTrue(said.get(1).contains("native access"), said::toString);
    assertTrue(said.get(1).contains("IllegalCallerException"), said::toString);
    assertTrue(said.get(0).contains("--enable-native-access=ALL-UNNAMED"), said::toString);
    assertTrue(said.get(0).contains("io = auto"), said::toString);
  }

  @Test
  @DisplayName("io = auto takes channels of Java there")
  void auto() throws Exception {
    assertEquals("opened 1", run("auto").getFirst());
  }
}
