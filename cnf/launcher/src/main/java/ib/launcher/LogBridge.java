package ib.launcher;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.osgi.service.log.LogEntry;
import org.osgi.service.log.LogLevel;
import org.osgi.service.log.LogListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Forwards entries of the OSGi log to slf4j, under the name of the entry's bundle. The framework,
 * SCR and fileinstall write to the OSGi log. Only the log service's thread calls.
 */
final class LogBridge implements LogListener {
  // Felix: Unable to resolve a [17](R 17.0): missing requirement [a [17](R 17.0)]
  // osgi.wiring.package; (...) Unresolved ...
  private static final Pattern UNRESOLVED =
      Pattern.compile("Unable to resolve .*?(?= Unresolved requirements:|$)");

  /** How fileinstall's message begins; the file's name follows. */
  private static final String FILE = "Failed to install artifact: ";

  private static final Pattern REVISION = Pattern.compile(" \\[\\d+]\\(R \\d+\\.\\d+\\)");

  @Override
  public void logged(LogEntry entry) {
    Logger logger = LoggerFactory.getLogger(name(entry));
    Throwable exception = entry.getException();
    String unresolved = exception == null ? "" : unresolved(String.valueOf(exception.getMessage()));
    if (!unresolved.isEmpty()) {
      // the missing requirement is logged, not the request to start the bundle
      logger.error(unresolved);
    } else if (exception != null && entry.getMessage().startsWith(FILE)) {
      // the cause is the file, so fileinstall's stack is left out
      Level level = Reason.gone(exception, entry.getMessage()) ? Level.DEBUG : level(entry);
      logger.atLevel(level).log(entry.getMessage() + ": " + Reason.of(exception));
    } else {
      logger.atLevel(level(entry)).setCause(exception).log(entry.getMessage());
    }
  }

  /**
   * {@return Felix' sentence about a missing requirement, once and without revision numbers; empty
   * for another message}
   */
  static String unresolved(String message) {
    Matcher unresolved = UNRESOLVED.matcher(message);
    return unresolved.find() ? REVISION.matcher(unresolved.group()).replaceAll("") : "";
  }

  private static String name(LogEntry entry) {
    // null for an uninstalled bundle
    return entry.getBundle() == null ? entry.getLoggerName() : entry.getBundle().getSymbolicName();
  }

  private static Level level(LogEntry entry) {
    LogLevel level = entry.getLogLevel();
    if (entry.getLoggerName().startsWith("Events.") && level == LogLevel.INFO) {
      // one line for each bundle and service is too much
      return Level.DEBUG;
    }
    return switch (level) {
      case AUDIT, ERROR -> Level.ERROR;
      case WARN -> Level.WARN;
      case INFO -> Level.INFO;
      case DEBUG -> Level.DEBUG;
      case TRACE -> Level.TRACE;
    };
  }
}
