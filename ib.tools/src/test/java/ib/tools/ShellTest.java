package ib.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.getopt.CommandException;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Golden;
import ib.tools.testing.Rxe;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Converter;
import org.apache.felix.service.command.Process;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("users E12, A5: the commands in a real gogo session")
class ShellTest {
  private final ThreadIOImpl threadIo = new ThreadIOImpl();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private CommandSession session;

  /** Commands as users have them in other bundles. */
  public static final class Others {
    /** Prints while its thread is interrupted. */
    public String marked(CommandSession session) {
      Thread.currentThread().interrupt();
      ShellOutput.out(session).println("printed");
      return "interrupted: " + Thread.interrupted();
    }

    /** Shows its words; one word makes it return an array, and two make it fail. */
    public Object says(String... words) {
      return switch (words.length == 1 && words[0] != null ? words[0] : "") {
        case "array" -> new String[] {"a", "b"};
        case "throw" -> throw new CommandException(7, "thrown");
        case "fail" -> throw new AssertionError("failed");
        default -> words.length + Arrays.toString(words);
      };
    }

    /** Lines that contain a word. */
    public void having(String word) throws Exception {
      Process process = Process.Utils.current();
      BufferedReader in =
          new BufferedReader(new InputStreamReader(process.in(), StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.contains(word)) {
          process.out().println(line);
        }
      }
    }
  }

  @BeforeEach
  void open() {
    threadIo.start();
    CommandProcessorImpl processor = new CommandProcessorImpl(threadIo);
    processor.addConverter(new PrintableConverter());
    CommandTable table =
        new IbCommands(new FakeCore(Rxe.rxe0(), Rxe.hca("soft0", 1, 1)))
            .commands()
            .command("says", "as a method does")
            .runs((_, args) -> new Others().says(args));
    table.names().forEach(name -> processor.addCommand("ib", table, name));
    processor.addCommand("other", new Others(), "says");
    processor.addCommand("other", new Others(), "having");
    processor.addCommand("other", new Others(), "marked");
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    session = processor.createSession(new ByteArrayInputStream(new byte[0]), out, out);
  }

  @AfterEach
  void close() {
    session.close();
    threadIo.stop();
  }

  private String printed(String line) throws Exception {
    bytes.reset();
    Object value = session.execute(line);
    String text = value == null ? "" : session.format(value, Converter.INSPECT) + "\n";
    return bytes.toString(StandardCharsets.UTF_8) + text;
  }

  @Test
  @DisplayName("names without the scope, options as they are, output byte for byte")
  void verbatim() throws Exception {
    assertEquals(Golden.of("ibv_devinfo_v"), printed("ibv_devinfo -v -d rxe0 -i 1"));
    assertEquals(Golden.of("rdma_dev"), printed("rdma dev show rxe0"));
    assertEquals(Golden.of("rdma_dev"), printed("ib:rdma dev show rxe0"));
  }

  @Test
  @DisplayName("ibv_devices | grep soft0")
  void pipe() throws Exception {
    assertEquals("    soft0           \t02c90300000a0002\n", printed("ibv_devices | having soft0"));
  }

  @Test
  @DisplayName("scripts use fields")
  void fields() throws Exception {
    assertEquals("soft0\n", printed("((ibv_devices) get 1) name"));
    assertEquals("1\n", printed("((rdma link show soft0/1) get 0) get sm_lid"));
    assertEquals("2\n", printed("(ibv_devices) size"));
  }

  @Test
  @DisplayName("U3: each command of a line prints its output")
  void sequence() throws Exception {
    assertEquals(
        Golden.of("rdma_dev") + Golden.of("ibv_devinfo_v"),
        printed("rdma dev show rxe0; ibv_devinfo -v -d rxe0 -i 1"));
  }

  @Test
  @DisplayName("U2: an interrupt closes no output, and the command still sees the interrupt")
  void interrupted() throws Exception {
    assertEquals("printed\ninterrupted: true\n", printed("marked"));
    assertEquals(Golden.of("rdma_dev"), printed("rdma dev show rxe0"));
  }

  @Test
  @DisplayName("a wrong option fails the command line, with the original's text and status")
  void failure() {
    CommandException e =
        assertThrows(CommandException.class, () -> session.execute("ibv_rc_pingpong --help"));
    assertTrue(e.getMessage().startsWith(Golden.of("ibv_rc_pingpong_help")), e.getMessage());
    CommandException bad =
        assertThrows(
            CommandException.class, () -> session.execute("ibv_devinfo -d nosuch; ibv_devices"));
    assertEquals(255, bad.getAsInt());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "says",
        "says one 'two words' \"three\"",
        "says 5 0x10 1e3 01 true -1",
        "x = 5; says $x",
        "x = 1.50; says -n $x",
        "x = [one two]; says $x",
        "x = [one two]; says -l $x",
        "x = [a=1 b=2]; says $x",
        "says $nosuch",
        "says -d $nosuch",
        "says (ibv_devices)",
        "says ((ibv_devices) get 1)",
        "words = (says array); says $words",
        "says {ibv_devices}",
        "says null",
        "says -d null",
        "says throw",
        "says fail"
      })
  @DisplayName("a command gets what the shell gives a method that takes words, and fails so")
  void words(String line) throws Exception {
    List<String> outcomes = new ArrayList<>();
    for (String scope : List.of("other", "ib")) {
      outcomes.add(outcome(line.replace("says", scope + ":says")));
    }
    assertEquals(outcomes.getFirst(), outcomes.getLast());
  }

  private String outcome(String line) {
    try {
      return printed(line);
    } catch (Exception e) {
      return e + ": " + e.getCause();
    }
  }
}
