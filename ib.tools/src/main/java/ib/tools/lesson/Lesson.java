package ib.tools.lesson;

import java.util.List;
import java.util.Map;

/**
 * An operation to watch. A lesson has no state; one thread at a time runs it on a {@link Stage}.
 */
interface Lesson {
  /** The names of the devices of a lesson's fabric. */
  List<String> DEVICES = List.of("lesson0", "lesson1", "lesson2");

  /** {@return the word in the name of its capture file} */
  String name();

  /** {@return the subject in one line} */
  String title();

  /** {@return what happens and why, a paragraph} */
  String story();

  /** {@return the configuration of each device, in the order of {@link #DEVICES}; at most three} */
  default List<Map<String, Object>> devices() {
    return List.of(Map.of(), Map.of());
  }

  /**
   * Runs the operation, with the capture on while it lasts.
   *
   * @param stage the devices; takes the result and the lines about it
   */
  void run(Stage stage);
}
