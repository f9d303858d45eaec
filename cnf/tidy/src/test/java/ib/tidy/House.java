package ib.tidy;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Every text file of the source tree, by its path relative to the root. */
final class House {
  private static final Set<String> SKIPPED = Set.of(".git", "target", ".idea", ".settings");

  /**
   * Hosts of package registries, which only the settings of a build may name. The names are written
   * in parts, so that this file does not match itself.
   */
  private static final Pattern REGISTRY =
      Pattern.compile(
          String.join(
              "|",
              "repo1?\\.maven\\." + "(apache\\.)?org",
              "maven\\." + "google\\.com",
              "plugins\\." + "gradle\\.org",
              "sona" + "type\\.(org|com)",
              "jfrog\\." + "(io|org)",
              "arti" + "factory",
              "registry\\." + "npmjs",
              "(files\\.)?pypi\\." + "org",
              "python" + "hosted\\.org",
              "crates\\." + "io",
              "proxy\\." + "golang"),
          Pattern.CASE_INSENSITIVE);

  /** Pages, samples, lessons and recipes: what people copy. */
  private static final Pattern COPIED =
      Pattern.compile(
          "(?:.*/)?README\\.md|docs/.*|samples/.*|.*/tools/(?:lesson|guide)/[^/]*\\.java");

  private static final String POLL = "\\.poll\\((?:[^()]|\\(\\))*\\)\\)*\\s*";
  private static final String NOTHING = "\\s*(?:[<=]=\\s*0|!=\\s*1|<\\s*1)";

  /** A loop that ends when a poll does not find nothing: also when it fails, or never. */
  private static final Pattern SPIN =
      Pattern.compile(
          "\\b(?:while|for)\\s*\\([^{}]*?"
              + POLL
              + NOTHING
              + "|\\b(\\w+) = [^;]*?"
              + POLL
              + ";\\s*\\}?\\s*while\\s*\\(\\1"
              + NOTHING);

  private final TreeMap<String, String> texts = new TreeMap<>();

  House(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skip = SKIPPED.contains(folder.getFileName().toString());
            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              texts.put(
                  root.relativize(file).toString().replace('\\', '/'), Files.readString(file));
            } catch (MalformedInputException e) {
              return FileVisitResult.CONTINUE; // not text
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  List<Source> sources() {
    Map<String, String> java = new TreeMap<>(texts);
    java.keySet().removeIf(path -> !path.endsWith(".java") || !path.contains("/src/"));
    return Source.parse(java);
  }

  /** Files that name a host of a package registry. */
  List<String> registryHosts() {
    List<String> found = new ArrayList<>();
    texts.forEach((path, text) -> found.addAll(registryHosts(path, text)));
    return found;
  }

  static List<String> registryHosts(String path, String text) {
    return REGISTRY.matcher(text).results().map(hit -> path + ": names " + hit.group()).toList();
  }

  /** {@return loops on an empty poll in what people copy; await is for that} */
  List<String> spins() {
    List<String> found = new ArrayList<>();
    texts.forEach((path, text) -> found.addAll(spins(path, text)));
    return found;
  }

  static List<String> spins(String path, String text) {
    return !COPIED.matcher(path).matches()
        ? List.of()
        : SPIN.matcher(text).results().map(hit -> path + ": loops on " + hit.group()).toList();
  }

  /**
   * Returns tests in packages of other modules, where they would see package-private members. The
   * stress tests are the one exception, because they test the inside of classes.
   */
  static List<String> foreign(List<Source> sources) {
    return sources.stream()
        .filter(source -> source.path().contains("/src/test/java/"))
        .filter(source -> !source.room().equals("ib.engine/stress"))
        .filter(source -> !(source.packageName() + ".").startsWith(root(source.room()) + "."))
        .map(source -> source.path() + ": in the foreign package " + source.packageName())
        .toList();
  }

  /** {@return the prefix of all packages of a module} */
  private static String root(String room) {
    if (room.startsWith("samples/")) {
      return room.replace('/', '.');
    }
    String last = room.substring(room.lastIndexOf('/') + 1);
    return last.startsWith("ib.") ? last : "ib." + last;
  }

  /** Packages of product code without a {@code package-info.java}. */
  static List<String> undescribed(List<Source> sources) {
    return sources.stream()
        .filter(Source::product)
        .map(source -> source.path().substring(0, source.path().lastIndexOf('/')))
        .distinct()
        .filter(
            folder ->
                sources.stream().noneMatch(s -> s.path().equals(folder + "/package-info.java")))
        .map(folder -> folder + ": no package-info.java")
        .toList();
  }
}
