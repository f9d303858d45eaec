package ib.launcher;

import ib.launcher.service.Shells.Streams;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Converter;
import org.apache.felix.service.command.Function;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.SynchronousBundleListener;

/**
 * Runs shell commands inside the framework, on the program's own streams. {@link #applyAsInt}
 * returns the program's exit status and blocks until the commands have ended. When the framework is
 * about to stop, as a signal makes it, the running commands are interrupted as by Ctrl-C, and have
 * a moment to say what they have done so far.
 */
final class Exec implements ToIntFunction<String>, SynchronousBundleListener {
  private static final String STATUS = ".ib.status"; // of what the tools have printed themselves
  private static final int FAILED = 1;

  /** How Gogo says in terms of Java that no command or method takes what was typed. */
  private static final Pattern NO_FIT = Pattern.compile("^Cannot coerce ([^(]+)\\(.*$");

  private static final int INTERRUPTED = 130; // as a shell has it: 128 and the signal's number
  private static final int LAST_WORDS_MS = 2_000;

  private final BundleContext context;
  private final Map<CommandSession, CountDownLatch> running = new ConcurrentHashMap<>();

  Exec(BundleContext context) {
    this.context = context;
  }

  @Override
  public void bundleChanged(BundleEvent event) {
    if (event.getType() != BundleEvent.STOPPING
        || event.getBundle().getBundleId() != Constants.SYSTEM_BUNDLE_ID) {
      return;
    }
    running.keySet().forEach(Exec::interrupt);
    try {
      for (CountDownLatch ended : running.values()) {
        if (!ended.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS)) {
          return; // the stop of the command's bundle ends it
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the commands of a session as Ctrl-C does, by what the tools have left in the session. */
  private static void interrupt(CommandSession session) {
    if (session.get(".ib.interrupt") instanceof Runnable interrupt) {
      interrupt.run();
    }
  }

  @Override
  public int applyAsInt(String commands) {
    // not System.out, which the shell has replaced
    try (PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true)) {
      return execute(
          commands, new Streams(new FileInputStream(FileDescriptor.in), out, err), session -> {});
    }
  }

  /** {@return what runs the commands of shells} */
  static CommandProcessor processor(BundleContext context) {
    try {
      return context.getServiceReferences(CommandProcessor.class, Activator.LOCAL_SERVICES).stream()
          .max(Comparator.naturalOrder())
          .map(context::getService)
          .orElseThrow();
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException("a wrong filter", e);
    }
  }

  /**
   * Runs shell commands.
   *
   * @param commands the commands
   * @param streams what they read and write
   * @param begun takes the session of the commands, whose close interrupts them
   * @return the exit status
   */
  int execute(String commands, Streams streams, Consumer<AutoCloseable> begun) {
    PrintStream out = streams.out();
    PrintStream err = streams.err();
    CommandProcessor processor = processor(context);
    CommandSession session = processor.createSession(streams.in(), out, err);
    begun.accept(session::close);
    Exit exit = new Exit();
    CountDownLatch ended = new CountDownLatch(1);
    running.put(session, ended);
    try {
      session.execute(
          Files.readString(Path.of(context.getProperty("gosh.home"), "etc/gosh_profile")));
      session.put("exit", exit);
      int status = 0;
      for (String statement : Statements.split(commands)) {
        session.put(STATUS, 0);
        Object result = session.execute(statement);
        status =
            switch (result == null ? session.get(STATUS) : result) {
              case Integer last -> last;
              case IntSupplier list -> list.getAsInt(); // a list that is bad news
              case null, default -> 0;
            };
        if (result != null && !(result instanceof Integer)) {
          out.println(session.format(result, Converter.INSPECT));
        }
      }
      return status == 0 && Verify.strict() ? violations(session, err) : status;
    } catch (Throwable thrown) { // an error of a command is the command's failure
      Throwable e = unwrapped(thrown);
      if (exit.status.isPresent()) {
        return exit.status.getAsInt();
      }
      if (e instanceof InterruptedException) {
        return INTERRUPTED;
      }
      boolean named = e instanceof IOException || e instanceof Error || e.getMessage() == null;
      String why = named ? e.toString() : String.valueOf(e.getMessage());
      if (!why.isEmpty()) {
        err.println(NO_FIT.matcher(why).replaceFirst("$1 takes no such arguments: see 'help'"));
      }
      return e instanceof IntSupplier status
          ? status.getAsInt()
          : FAILED; // a command's exception may set the status
    } finally {
      running.remove(session);
      ended.countDown();
      session.close();
    }
  }

  /** {@return the status of a run in which no clause may be broken} */
  private static int violations(CommandSession session, PrintStream err) throws Exception {
    // the command itself, and not a line of the shell, which would print the list
    Object found =
        session.get("ib:violations") instanceof Function command
            ? command.execute(session, List.of("-v"))
            : "no command ib:violations";
    if (found instanceof Collection<?> violations && violations.isEmpty()) {
      return 0;
    }
    err.println(session.format(found, Converter.INSPECT));
    return FAILED;
  }

  /** {@return what a command has thrown; the shell throws an error of a command as the cause} */
  private static Throwable unwrapped(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof InvocationTargetException && cause != null ? cause : thrown;
  }

  /** The command {@code exit [status]}, which ends the commands by an exception. */
  private static final class Exit implements Function {
    private volatile OptionalInt status = OptionalInt.empty();

    @Override
    public Object execute(CommandSession session, List<Object> arguments) {
      int code = arguments.isEmpty() ? 0 : Integer.parseInt(arguments.getFirst().toString());
      status = OptionalInt.of(code);
      throw new IllegalStateException("exit " + code);
    }
  }
}
