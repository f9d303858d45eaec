package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.launcher.RunDescriptor.RunBundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 2, section 1: one run descriptor")
class RunDescriptorTest {
  private static final String LEVELS =
      "-ib.startlevels: \\\n\tib.core;level=10,\\\n\tib.*;level=20\n";

  @TempDir private Path folder;

  @Test
  @DisplayName("bundles in file order, the first matching start level, versions with commas")
  void bundles() throws IOException {
    String text =
        "-runbundles: \\\n\tib.core;version='[0.1.0,0.1.1)',\\\n\tib.driver.soft;version='[0.1.0,0.1.1)'\n";
    assertEquals(
        List.of(new RunBundle("ib.core", 10), new RunBundle("ib.driver.soft", RunDescriptor.HOT)),
        read(text + LEVELS).bundles());
  }

  @Test
  @DisplayName("framework properties and system packages")
  void properties() throws IOException {
    String text =
        "-runbundles: ib.core\n-runproperties: \\\n\ta.b=1,\\\n\tc=x=y\n"
            + "-runsystempackages: \\\n\torg.slf4j;version=2.0.20,\\\n\torg.slf4j;version=1.7.36\n";
    var properties = read(text + LEVELS).frameworkProperties();
    assertEquals("1", properties.get("a.b"));
    assertEquals("x=y", properties.get("c"));
    assertEquals(
        "org.slf4j;version=2.0.20,org.slf4j;version=1.7.36",
        properties.get("org.osgi.framework.system.packages.extra"));
  }

  @Test
  @DisplayName("a descriptor that was never resolved, or a bundle without a level, is refused")
  void refused() {
    assertThrows(IOException.class, () -> read("-runbundles:\n" + LEVELS));
    IOException e = assertThrows(IOException.class, () -> read("-runbundles: other\n" + LEVELS));
    assertEquals("no start level for other in -ib.startlevels", e.getMessage());
  }

  private RunDescriptor read(String text) throws IOException {
    return RunDescriptor.read(Files.writeString(folder.resolve("ib.bndrun"), text));
  }
}
