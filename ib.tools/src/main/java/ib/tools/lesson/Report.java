package ib.tools.lesson;

import ib.tools.output.Printable;
import java.util.List;

/**
 * One run of a lesson.
 *
 * @param number of the lesson
 * @param title its subject
 * @param story what happens and why
 * @param device where the packets were captured
 * @param packets the packets, in their order
 * @param results what became of the requests
 * @param lookAt the fields that matter
 */
public record Report(
    int number,
    String title,
    String story,
    String device,
    List<Seen> packets,
    List<String> results,
    List<String> lookAt)
    implements Printable {

  /** Copies the lists. */
  public Report {
    packets = List.copyOf(packets);
    results = List.copyOf(results);
    lookAt = List.copyOf(lookAt);
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder();
    out.append("Lesson ").append(number).append(": ").append(title).append("\n\n");
    out.append(story).append("\n\n");
    out.append("packets at ").append(device).append(" (-> sent, <- received):\n");
    packets.forEach(p -> out.append(p.line()).append('\n'));
    out.append("\nresult:\n");
    results.forEach(r -> out.append("  ").append(r).append('\n'));
    out.append("\nlook at:\n");
    lookAt.forEach(l -> out.append("  ").append(l).append('\n'));
    return out.toString().stripTrailing();
  }
}
