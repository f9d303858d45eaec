package ib.tools.lesson;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An operation to watch. A lesson has no state; one thread at a time runs it on a {@link Stage}.
 *
 * @param name the word in the name of its capture file
 * @param title the subject in one line
 * @param story what happens and why, a paragraph
 * @param run runs the operation, with the capture on while it lasts; gives the stage the result
 * @param devices the configuration of each device, in the order of {@link #DEVICES}
 */
record Lesson(
    String name,
    String title,
    String story,
    Consumer<Stage> run,
    List<Map<String, Object>> devices) {
  /** The names of the devices of a lesson's fabric. */
  static final List<String> DEVICES = List.of("lesson0", "lesson1", "lesson2");

  /** Two devices as they are by default. */
  static final List<Map<String, Object>> TWO = List.of(Map.of(), Map.of());
}
