package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.launcher.service.Shells.Streams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

@DisplayName("ib exec: a command that fails is reported in one line, and sets the exit status")
final class ExecTest {
  @TempDir Path home;
  private final ThreadIOImpl io = new ThreadIOImpl();
  private final CommandProcessorImpl processor = new CommandProcessorImpl(io);
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** An exception that sets the exit status. */
  private static final class Denied extends IllegalStateException implements IntSupplier {
    private static final long serialVersionUID = 1;

    Denied() {
      super("denied");
    }

    @Override
    public int getAsInt() {
      return 13;
    }
  }

  private static Throwable failure(String name) {
    return switch (name) {
      case "message" -> new IllegalStateException("no such device");
      case "silent" -> new IllegalStateException();
      case "io" -> new IOException("x.txt");
      case "status" -> new Denied();
      case "missing" -> new NoClassDefFoundError("a/B");
      case "assertion" -> new AssertionError("not so");
      case "memory" -> new OutOfMemoryError();
      default -> new InternalError(name);
    };
  }

  /** Commands by their names; the shell calls methods by reflection. */
  public static final class Commands {
    private Commands() {}

    /** Fails as the argument says. */
    public void fails(String name) throws Throwable {
      throw failure(name);
    }

    /** Returns what cannot be printed. */
    public Unprintable unprintable() {
      return new Unprintable();
    }

    /** Returns a status. */
    public int gives(int status) {
      return status;
    }
  }

  /** A result that cannot be printed. */
  public static final class Unprintable {
    private Unprintable() {}

    @Override
    public String toString() {
      throw new NoClassDefFoundError("a/B");
    }
  }

  /** A command without reflection. */
  private static final class Direct implements Function {
    @Override
    public Object execute(CommandSession session, List<Object> arguments) throws Exception {
      Throwable failure = failure(arguments.getFirst().toString());
      if (failure instanceof Error error) {
        throw error;
      }
      throw (Exception) failure;
    }
  }

  @BeforeEach
  void start() throws IOException {
    Files.createDirectories(home.resolve("etc"));
    Files.writeString(home.resolve("etc/gosh_profile"), "");
    io.start();
    processor.addCommand("test", new Commands(), "fails");
    processor.addCommand("test", new Commands(), "gives");
    processor.addCommand("test", new Commands(), "unprintable");
    processor.addCommand("test", new Direct(), "direct");
  }

  @AfterEach
  void stop() {
    processor.stop();
    io.stop();
  }

  private int run(String commands) {
    Object reference =
        Proxy.newProxyInstance(
            ExecTest.class.getClassLoader(),
            new Class<?>[] {ServiceReference.class},
            (proxy, method, arguments) -> null);
    BundleContext context =
        (BundleContext)
            Proxy.newProxyInstance(
                ExecTest.class.getClassLoader(),
                new Class<?>[] {BundleContext.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getServiceReferences" -> List.of(reference);
                      case "getService" -> processor;
                      case "getProperty" -> home.toString();
                      default -> null;
                    });
    PrintStream none = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    return new Exec(context)
        .execute(
            commands,
            new Streams(
                InputStream.nullInputStream(),
                none,
                new PrintStream(err, true, StandardCharsets.UTF_8)),
            session -> {});
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "fails, message, 1, no such device",
    "fails, silent, 1, java.lang.IllegalStateException",
    "fails, io, 1, java.io.IOException: x.txt",
    "fails, status, 13, denied",
    "fails, missing, 1, java.lang.NoClassDefFoundError: a/B",
    "fails, assertion, 1, java.lang.AssertionError: not so",
    "fails, memory, 1, java.lang.OutOfMemoryError",
    "direct, message, 1, no such device",
    "direct, status, 13, denied",
    "direct, missing, 1, java.lang.NoClassDefFoundError: a/B",
    "direct, assertion, 1, java.lang.AssertionError: not so",
  })
  @DisplayName("an exception and an error are printed, without a stack")
  void failures(String command, String failure, int status, String line) {
    assertEquals(status, run("test:" + command + " " + failure + "; test:gives 3"));
    assertEquals(line, err.toString(StandardCharsets.UTF_8).strip());
  }

  @ParameterizedTest
  @CsvSource({"5 / 0, /", "test:gives 1 2 3, gives"})
  @DisplayName("B13: arguments that no command takes are refused without Java's words")
  void noFit(String line, String name) {
    assertEquals(1, run(line));
    assertEquals(
        name + " takes no such arguments: see 'help'",
        err.toString(StandardCharsets.UTF_8).strip());
  }

  @Test
  @DisplayName("a result whose toString throws an error is a failure of its command")
  void unprintable() {
    assertEquals(1, run("test:unprintable; test:gives 3"));
    assertEquals(
        "java.lang.NoClassDefFoundError: a/B", err.toString(StandardCharsets.UTF_8).strip());
  }

  @ParameterizedTest
  @CsvSource({"strict, S26 a, 0, 1", "strict, S26 a, 3, 3", "true, S26 a, 0, 0", "strict,, 0, 0"})
  @DisplayName("issue 15: with ib.verify=strict a broken clause makes commands fail")
  void strict(String verify, String broken, int own, int status) {
    Function violations = (session, arguments) -> broken == null ? List.of() : List.of(broken);
    processor.addCommand("ib", violations, "violations");
    System.setProperty("ib.verify", verify);
    try {
      assertEquals(status, run("test:gives " + own));
    } finally {
      System.clearProperty("ib.verify");
    }
    boolean told = verify.equals("strict") && own == 0 && broken != null;
    assertEquals(told, err.toString(StandardCharsets.UTF_8).contains("S26 a"));
  }

  @Test
  @DisplayName("issue 15: a list with a status sets the exit status when it is the last")
  void listWithStatus() {
    IntSupplier found = () -> 1;
    Function violations = (session, arguments) -> found;
    processor.addCommand("ib", violations, "violations");
    assertEquals(1, run("test:gives 3; ib:violations"));
    assertEquals(3, run("ib:violations; test:gives 3"));
  }

  @Test
  @DisplayName("finding B2: a command that has printed its list leaves the list's status")
  void printedListWithStatus() {
    Function doctor =
        (session, arguments) -> {
          session.put(".ib.status", 1);
          return null;
        };
    processor.addCommand("ib", doctor, "doctor");
    assertEquals(1, run("test:gives 3; ib:doctor"));
    assertEquals(3, run("ib:doctor; test:gives 3"));
    assertEquals(0, run("ib:doctor; test:gives 0"));
  }

  @Test
  @DisplayName("commands that do not fail: the last one's number is the status")
  void succeeds() {
    assertEquals(3, run("test:gives 4; test:gives 3"));
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }
}
