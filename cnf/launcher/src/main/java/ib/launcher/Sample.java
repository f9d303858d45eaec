package ib.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import javax.lang.model.SourceVersion;

/**
 * {@code ib new driver NAME} and {@code ib new ulp NAME}: copies a sample under another name, which
 * then stands in its package, bundle, classes, commands and files.
 */
final class Sample {
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private final Path samples;
  private final PrintStream out;
  private final PrintStream err;

  Sample(Path samples, PrintStream out, PrintStream err) {
    this.samples = samples;
    this.out = out;
    this.err = err;
  }

  /**
   * Copies a sample.
   *
   * @param into the folder in which the new folder is made
   * @param args the sample, and the name of a Java package in lower case
   * @return the exit status
   */
  int copy(Path into, List<String> args) {
    if (args.size() != 2 || !List.of("driver", "ulp").contains(args.getFirst())) {
      err.println("usage: ib new driver NAME, or ib new ulp NAME, for example com.example.mirror");
      return USAGE;
    }
    String kind = args.getFirst();
    String name = args.getLast();
    if (!name.matches("[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*") || !SourceVersion.isName(name)) {
      err.println(
          "ib new: %s is not the name of a package in lower case. Try: com.example.mirror"
              .formatted(name));
      return FAILED;
    }
    String last = name.substring(name.lastIndexOf('.') + 1);
    Path to = into.resolve(last);
    try {
      Files.createDirectory(to);
      copy(samples.resolve(kind), to, words(kind, name, last));
    } catch (FileAlreadyExistsException e) {
      err.println("ib new: %s is there already. Try: another name".formatted(to));
      return FAILED;
    } catch (IOException e) {
      err.println("ib new: cannot make %s: %s".formatted(to, e));
      return FAILED;
    }
    out.println("%s/ holds a %s. Its README.md says what is what.".formatted(to, kind));
    out.println("  cd %s && mvn -B package".formatted(to));
    out.println("needs ib in your Maven repository: ./ib install in a clone of ib.");
    return 0;
  }

  /** {@return what stands for which words of the sample, as regular expressions} */
  private static Map<String, String> words(String kind, String name, String last) {
    String path = name.replace('.', '/');
    String type = last.substring(0, 1).toUpperCase(Locale.ROOT) + last.substring(1);
    Map<String, String> words = new LinkedHashMap<>();
    words.put("samples\\." + kind, name);
    words.put("(?<=java/)samples/" + kind, path); // in paths
    words.put("samples/" + kind, last);
    words.put("<groupId>samples</groupId>", "<groupId>" + name + "</groupId>");
    words.put("<artifactId>" + kind + "</artifactId>", "<artifactId>" + last + "</artifactId>");
    words.put("\\b" + kind + "-1\\.jar", last + "-1.jar");
    if (kind.equals("ulp")) {
      words.put("\\bEcho(?=[A-Z]|\\b)", type);
      words.put("\\becho\\b", last);
    } else {
      words.put("\\bCable(?=[A-Z]|\\b)", type);
      words.put("\\bcable(?=[01]\\b)", last);
    }
    return words;
  }

  private static void copy(Path from, Path to, Map<String, String> words) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path relative = from.relativize(file);
        if (!relative.startsWith("target")) {
          Path target = to.resolve(renamed(relative.toString(), words));
          Files.createDirectories(target.getParent());
          Files.writeString(target, renamed(Files.readString(file), words));
        }
      }
    }
  }

  private static String renamed(String text, Map<String, String> words) {
    String renamed = text;
    for (Map.Entry<String, String> word : words.entrySet()) {
      renamed = renamed.replaceAll(word.getKey(), Matcher.quoteReplacement(word.getValue()));
    }
    return renamed;
  }
}
