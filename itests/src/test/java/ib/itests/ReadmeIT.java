package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The README's transcript, run. Figures differ from run to run, the form does not. */
public class ReadmeIT {
  private static final String PROMPT = "$ ./ib ";

  @Test
  public void everyCommandPrintsWhatTheReadmeSays() throws Exception {
    Map<String, List<String>> transcript = read();
    assertTrue("transcript " + transcript.keySet(), transcript.size() >= 3);
    for (Map.Entry<String, List<String>> step : transcript.entrySet()) {
      String ib = "sh '" + Distro.HOME.resolve("bin/ib") + "' ";
      Program run = Program.run(List.of("sh", "-c", ib + step.getKey()), "", Map.of());
      assertEquals(step.getKey() + "\n" + run.err(), 0, run.status());
      assertEquals(step.getKey(), form(step.getValue()), form(run.out().lines().toList()));
    }
  }

  private static Map<String, List<String>> read() throws Exception {
    Map<String, List<String>> steps = new LinkedHashMap<>();
    List<String> expected = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("../README.md"))) {
      if (line.startsWith("```")) {
        inside = line.equals("```console");
      } else if (inside && line.startsWith(PROMPT)) {
        expected = new ArrayList<>();
        steps.put(line.substring(PROMPT.length()), expected);
      } else if (inside) {
        expected.add(line);
      }
    }
    return steps;
  }

  /** Numbers, hexadecimal ones too, count as one; but those of devices, which have their order. */
  private static List<String> form(List<String> lines) {
    return lines.stream()
        .map(
            l ->
                l.replaceAll("0x[0-9a-f]+|\\b[0-9a-f]{16}\\b|\\b\\d+(\\.\\d+)?", "N")
                    .stripTrailing())
        .toList();
  }
}
