package ib.launcher;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes a failure in one sentence without a stack trace, for users who are no developers. */
final class Reason {
  private static final long LITTLE_BYTES = 16L << 20;
  private static final Pattern CLASSES = Pattern.compile("^(?:[\\w$]+\\.)+[\\w$]+(?:: |$)");

  private Reason() {}

  /**
   * Returns the messages of a failure and its causes, each once.
   *
   * @param failure the failure
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
    // removes the class name with which a message may begin
    String text = CLASSES.matcher(message).replaceFirst("");
    return t.getMessage() == null || text.isEmpty() ? t.getClass().getSimpleName() : text;
  }

  /**
   * As {@link #of}, with advice when the disk is full.
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
      return false; // the failure itself describes the fault of the folder
    }
  }

  private static String advice(Path temporary) {
    return "; "
        + temporary
        + " is full: make room there, or name another folder with"
        + " IB_OPTS=-Djava.io.tmpdir=FOLDER";
  }

  /** {@return whether a file was deleted before it was read, which is no failure} */
  static boolean gone(@Nullable Throwable failure, String message) {
    return (failure instanceof FileNotFoundException || failure instanceof NoSuchFileException)
        && !Files.exists(Path.of(message.substring(message.lastIndexOf(' ') + 1)));
  }
}
