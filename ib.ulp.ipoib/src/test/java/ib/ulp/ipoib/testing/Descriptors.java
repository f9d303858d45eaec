package ib.ulp.ipoib.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What files this process has open, where the kernel tells. */
public final class Descriptors {
  private static final Path FOLDER = Path.of("/proc/self/fd");

  private Descriptors() {}

  /** {@return how many; 0 where nobody tells} */
  public static int open() {
    return list().size();
  }

  /** {@return what they are of} */
  public static List<String> list() {
    if (!Files.isDirectory(FOLDER)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(FOLDER)) {
      return all.map(Descriptors::target).filter(t -> !t.isEmpty()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile, such as the one of the list itself
    }
  }
}
