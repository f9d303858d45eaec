package ib.tools.lesson;

import ib.core.spi.StandaloneDriver;
import ib.core.verbs.IbException;
import ib.kit.capture.CaptureReader;
import ib.tools.capture.CaptureFile;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Printable;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code ib:lesson}: lists the lessons, or runs one. Any thread may call; lessons share nothing.
 */
public final class Lessons {
  private static final String USAGE =
      """
      Usage: ib:lesson                     lists the lessons
             ib:lesson [-w FILE] NUMBER    runs one, on devices of its own
        -w, --write=FILE    write its packets to a new file, for Wireshark
            --force         overwrite the file\
      """;

  private static final List<Lesson> ALL =
      List.of(
          SendLesson.LESSON,
          RnrLesson.LESSON,
          ReadLesson.LESSON,
          LossLesson.LESSON,
          DatagramLesson.LESSON,
          MulticastLesson.LESSON,
          AtomicLesson.LESSON,
          MtuLesson.LESSON,
          UnplugLesson.LESSON,
          SubnetLesson.LESSON,
          PartitionLesson.LESSON,
          ConnectionLesson.LESSON);

  private Lessons() {}

  /** The list of the lessons. */
  record Contents(List<String> titles) implements Printable {
    @Override
    public String text() {
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < titles.size(); i++) {
        out.append(String.format("%2d  %s%n", i + 1, titles.get(i)));
      }
      return out.append("ib:lesson NUMBER runs one.").toString();
    }
  }

  /**
   * Runs the command.
   *
   * @param driver finds the driver of the devices, which makes no network traffic
   * @param args options and at most one number
   * @return the list, or the {@link Report} of the run
   * @throws CommandException when there is no such lesson, its file cannot be written, or the
   *     lesson fails
   */
  public static Printable run(Supplier<StandaloneDriver> driver, String... args) {
    Getopt options = new Getopt("ib:lesson", USAGE, "w,write=", ",force");
    Parsed line = options.parse(args).atMost(1);
    String file = line.last("write");
    if (line.operands().isEmpty()) {
      if (file != null) {
        throw options.refusal("ib:lesson: -w needs the number of a lesson");
      }
      return new Contents(ALL.stream().map(Lesson::title).toList());
    }
    int number = number(line.operands().getFirst());
    try {
      return run(number, driver.get(), file == null ? null : Path.of(file), line.has("force"));
    } catch (IbException e) {
      throw new CommandException("ib:lesson: lesson " + number + " failed", e);
    } catch (NoClassDefFoundError e) { // the import of the connection manager is optional
      throw new CommandException(
          "ib:lesson: lesson " + number + " needs the bundle ib.cm: " + e.getMessage());
    }
  }

  private static int number(String text) {
    if (text.matches("[0-9]{1,3}")) {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= ALL.size()) {
        return number;
      }
    }
    throw new CommandException(
        "ib:lesson: there is no lesson " + text + "; there are 1 to " + ALL.size());
  }

  /** {@return the name of the file that holds a lesson's capture in {@code docs/captures}} */
  static String fileName(int number) {
    return String.format("lesson-%02d-%s.pcapng", number, ALL.get(number - 1).name());
  }

  /** {@return how many lessons there are} */
  static int count() {
    return ALL.size();
  }

  private static Report run(
      int number, StandaloneDriver driver, @Nullable Path file, boolean force) {
    Lesson lesson = ALL.get(number - 1);
    FileChannel written =
        file == null ? null : CaptureFile.open("ib:lesson", file, force && Files.exists(file));
    Trace trace = new Trace();
    Sink sink = new Sink(new CaptureReader(trace), written);
    try (Stage stage = new Stage(driver, lesson, sink, trace)) {
      lesson.run().accept(stage);
      return stage.report(number, lesson);
    }
  }
}
