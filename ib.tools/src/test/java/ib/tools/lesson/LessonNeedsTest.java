package ib.tools.lesson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.spi.StandaloneDriver;
import ib.tools.getopt.CommandException;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U25: which bundles the lessons need")
class LessonNeedsTest {
  private static StandaloneDriver driver() {
    return StandaloneDriver.find("ib.driver.soft", LessonNeedsTest.class.getClassLoader());
  }

  @Test
  @DisplayName("without the bundle ib.cm the lessons are there, and number 12 names what it needs")
  void withoutConnectionManager() throws Exception {
    URL[] paths =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(p -> !p.matches(".*ib\\.cm[/-].*"))
            .map(LessonNeedsTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader = new URLClassLoader(paths, ClassLoader.getPlatformClassLoader())) {
      Class<?> probe = loader.loadClass(Without.class.getName());
      assertThrows(ClassNotFoundException.class, () -> loader.loadClass("ib.cm.CmClient"));
      Object said = probe.getMethod("run").invoke(null);
      assertEquals(
          "Report CommandException ib:lesson: lesson 12 needs the bundle ib.cm: ib/cm/CmClient",
          said);
    }
  }

  private static URL url(String path) {
    try {
      return Path.of(path).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  /** Runs in a class loader of its own. */
  public static final class Without {
    private Without() {}

    /** {@return the kind of lesson 1's result, and what lesson 12 says} */
    public static String run() {
      String first = Lessons.run(LessonNeedsTest::driver, "1").getClass().getSimpleName();
      try {
        return first + Lessons.run(LessonNeedsTest::driver, "12");
      } catch (CommandException e) {
        return first + " CommandException " + e.getMessage();
      }
    }
  }
}
