package ib.tools.rdma;

import ib.tools.getopt.CommandException;
import ib.tools.output.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code rdma system}: modes of the whole midlayer. None of them can be changed here: every client
 * sees every device, each may use a controlled Q_Key, hot-plug can be watched, and a child process
 * shares no memory with a JVM.
 */
final class SystemObject {
  private SystemObject() {}

  static Object run(View view, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("show", words -> show(view, words));
    commands.put("list", words -> show(view, words));
    commands.put("set", words -> set());
    commands.put("help", words -> Usage.of("rdma_system"));
    return all.dispatch("system command", words -> show(view, words), commands);
  }

  private static Object show(View view, Words words) {
    Map<String, Function<Words, Object>> modes = new LinkedHashMap<>();
    for (String mode : List.of("netns", "privileged-qkey", "monitor")) {
      modes.put(mode, rest -> modes(view, rest)); // the original prints all modes for each
    }
    return words.dispatch("parameter", rest -> modes(view, rest), modes);
  }

  private static Object modes(View view, Words words) {
    words.end();
    Line line = new Line();
    line.put("netns", "shared");
    for (String mode : List.of("privileged-qkey", "monitor", "copy-on-fork")) {
      line.putOnOff(mode, true);
    }
    return view.listing(List.of(line));
  }

  private static Object set() {
    throw new CommandException(
        "rdma: the modes of 'rdma system show' are fixed here: there are no network namespaces and"
            + " no privileged users");
  }
}
