package ib.driver.verbs.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17, V10: structures are where libibverbs has them")
final class LayoutTest {
  private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");

  private static String table() throws IOException {
    try (InputStream in = Layout.class.getResourceAsStream(Layout.TABLE)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static String program(List<String> lines) {
    StringBuilder c =
        new StringBuilder("#include <stdio.h>\n#include <stddef.h>\n")
            .append(
                "#include <infiniband/verbs.h>\n#include <rdma/rdma_user_cm.h>\nint main(void) {\n");
    for (String line : lines) {
      String[] w = line.split("\t");
      String format = "printf(\"" + w[0] + "\\t" + w[1] + "\\t%zu\\t%zu\\n\", ";
      c.append(format)
          .append(
              w[1].equals("-")
                  ? "(size_t)0, sizeof(struct " + w[0] + "));\n"
                  : "offsetof(struct "
                      + w[0]
                      + ", "
                      + w[1]
                      + "), sizeof(((struct "
                      + w[0]
                      + " *)0)->"
                      + w[1]
                      + "));\n");
    }
    return c.append("return 0; }\n").toString();
  }

  private static String run(Path folder, String... command) throws Exception {
    Process p =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, p.waitFor(), out);
    return out;
  }

  private static boolean compiler() throws InterruptedException {
    try {
      Process p = new ProcessBuilder("cc", "--version").redirectErrorStream(true).start();
      p.getInputStream().readAllBytes();
      return p.waitFor(10, TimeUnit.MINUTES) && p.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  @DisplayName("the table is what the C compiler prints from the installed headers")
  void headers(@TempDir Path folder) throws Exception {
    assumeTrue(compiler(), "there is no C compiler: apt install gcc libc6-dev");
    assumeTrue(Files.exists(HEADER), HEADER + " is not installed: apt install libibverbs-dev");
    List<String> lines = table().lines().skip(1).toList();
    Files.writeString(folder.resolve("layout.c"), program(lines));
    run(folder, "cc", "-o", "layout", "layout.c");
    assertEquals(String.join("\n", lines) + "\n", run(folder, "./layout"));
  }

  /** {@return lines with the names of C and the numbers of ib, of the values from 0 to an end} */
  private static <E extends Enum<E>> List<String> numbers(
      String prefix, E[] values, ToIntFunction<E> number, int end) {
    return Arrays.stream(values)
        .filter(v -> number.applyAsInt(v) >= 0 && number.applyAsInt(v) < end)
        .map(v -> prefix + v.name() + " " + number.applyAsInt(v))
        .toList();
  }

  @Test
  @DisplayName(
      "V6: events, statuses and states have the numbers of the installed header, one to one")
  void numbers(@TempDir Path folder) throws Exception {
    assumeTrue(compiler(), "there is no C compiler: apt install gcc libc6-dev");
    assumeTrue(Files.exists(HEADER), HEADER + " is not installed: apt install libibverbs-dev");
    List<String> ours =
        new ArrayList<>(numbers("IBV_EVENT_", EventType.values(), EventType::value, 20));
    ours.addAll(numbers("IBV_WC_", WcStatus.values(), WcStatus::value, 22));
    ours.addAll(numbers("IBV_QPS_", QpState.values(), QpState::value, 7));
    assertEquals(20 + 22 + 7, ours.size());
    StringBuilder c =
        new StringBuilder("#include <stdio.h>\n#include <infiniband/verbs.h>\nint main(void) {\n");
    for (String line : ours) {
      String name = line.split(" ")[0];
      c.append("printf(\"" + name + " %d\\n\", (int)" + name + ");\n");
    }
    Files.writeString(folder.resolve("numbers.c"), c + "return 0; }\n");
    run(folder, "cc", "-o", "numbers", "numbers.c");
    assertEquals(String.join("\n", ours) + "\n", run(folder, "./numbers"));
  }

  @Test
  @DisplayName("a field that is not in the table, or has another size, is refused")
  void unknown() {
    assertThrows(IllegalArgumentException.class, () -> Layout.at("ibv_wc", "no_such", 4));
    assertThrows(IllegalArgumentException.class, () -> Layout.at("ibv_wc", "wr_id", 4));
    assertEquals(48, Layout.size("ibv_wc"));
  }
}
