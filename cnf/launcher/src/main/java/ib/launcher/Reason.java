package ib.launcher;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why something failed, in one sentence and without a stack: whoever reads it is no developer. */
final class Reason {
  private static final long LITTLE_BYTES = 16L << 20;
  private static final Pattern CLASSES = Pattern.compile("^(?:[\\w$]+\\.)+[\\w$]+(?:: |$)");

  private Reason() {}

  /**
   * What a failure and its causes say, each once: a cause often says what the failure does not.
   *
   * @param failure for example of a bundle that could not be stored
   */
  static String of(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      String says = says(t);
      if (text.indexOf(says) < 0) {
        text.append(text.isEmpty() ? "" : ": ").append(says);
      }
    }
    return text.toString();
  }

  private static String says(Throwable t) {
    String message = String.valueOf(t.getMessage()).strip();
    if (t instanceof NoSuchFileException) {
      return message + ": no such file";
    }
    // a message that begins with the name of the cause's class
    String text = CLASSES.matcher(message).replaceFirst("");
    return t.getMessage() == null || text.isEmpty() ? t.getClass().getSimpleName() : text;
  }

  /**
   * As {@link #of}, and what to do when the disk is full.
   *
   * @param temporary the folder under which the runtime keeps its bundles
   */
  static String ofStart(Throwable failure, Path temporary) {
    return of(failure) + (full(temporary) ? advice(temporary) : "");
  }

  private static boolean full(Path temporary) {
    try {
      return Files.getFileStore(temporary).getUsableSpace() < LITTLE_BYTES;
    } catch (IOException e) {
      return false; // then the failure itself says what is wrong with the folder
    }
  }

  private static String advice(Path temporary) {
    return "; "
        + temporary
        + " is full: make room there, or name another folder with"
        + " IB_OPTS=-Djava.io.tmpdir=FOLDER";
  }

  /** Whether a file has gone before it was read, which is no failure. */
  static boolean gone(@Nullable Throwable failure, String message) {
    return (failure instanceof FileNotFoundException || failure instanceof NoSuchFileException)
        && !Files.exists(Path.of(message.substring(message.lastIndexOf(' ') + 1)));
  }
}
