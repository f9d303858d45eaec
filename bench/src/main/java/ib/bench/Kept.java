package ib.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The ratios that were kept, a line for each time: date, commit, kind of processor, Java, then one
 * ratio for each case. Ratios of different processors are not compared.
 *
 * @param commit whose they are
 * @param key processor and Java
 * @param ratios of the cases to the yardstick
 */
record Kept(String commit, String key, double[] ratios) {
  private static final int WORDS = 4; // before the ratios

  /** Those of a kind of machine, the oldest first. */
  static List<Kept> read(Path file, String key) throws IOException {
    return read(file).stream().filter(kept -> kept.key.equals(key)).toList();
  }

  /** {@return the kinds of machine that a file has lines of, in their order} */
  static List<String> keys(Path file) throws IOException {
    return read(file).stream().map(Kept::key).distinct().toList();
  }

  private static List<Kept> read(Path file) throws IOException {
    List<Kept> all = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.strip().split(" +");
      if (!line.startsWith("#") && words.length > WORDS) {
        double[] ratios =
            Arrays.stream(words).skip(WORDS).mapToDouble(Double::parseDouble).toArray();
        all.add(new Kept(words[1], words[2] + " " + words[3], ratios));
      }
    }
    return all;
  }

  void append(Path file, String date) throws IOException {
    StringBuilder line = new StringBuilder(date + " " + commit + " " + key);
    for (double ratio : ratios) {
      line.append(String.format(Locale.ROOT, " %.2f", ratio));
    }
    Files.writeString(file, line.append('\n'), StandardOpenOption.APPEND);
  }
}
