package ib.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * One parsed source file.
 *
 * @param path path relative to the root of the repository, with {@code /}
 * @param text content of the file
 * @param unit syntax tree of the file
 * @param positions positions of the trees in the text
 */
record Source(String path, String text, CompilationUnitTree unit, SourcePositions positions) {
  static Source parse(String path, String text) {
    return parse(Map.of(path, text)).getFirst();
  }

  /** Parses files by path. Only the syntax is checked, so each file is parsed on its own. */
  static List<Source> parse(Map<String, String> texts) {
    List<Text> files =
        texts.entrySet().stream().map(e -> new Text(e.getKey(), e.getValue())).toList();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, problem -> {}, List.of("-proc:none"), null, files);
    List<Source> sources = new ArrayList<>();
    try {
      for (CompilationUnitTree unit : task.parse()) {
        String path = unit.getSourceFile().toUri().getPath().substring(1);
        sources.add(
            new Source(path, texts.get(path), unit, Trees.instance(task).getSourcePositions()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String path, String text) {
      super(URI.create("mem:///" + path), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** The top-level folder: {@code ib.core}, {@code cnf/launcher}, {@code itests}, … */
  String room() {
    return path.substring(0, path.indexOf("/src/"));
  }

  boolean product() {
    return path.contains("/src/main/java/") && !room().equals("bench");
  }

  String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  String packageName() {
    return unit.getPackageName() == null ? "" : unit.getPackageName().toString();
  }

  List<String> lines() {
    return text.lines().toList();
  }

  /** {@return the number of lines that are neither blank nor comment} */
  long codeLines() {
    return LanguageRules.withoutComments(text).lines().filter(line -> !line.isBlank()).count();
  }

  long line(Tree tree) {
    return unit.getLineMap().getLineNumber(Math.max(0, positions.getStartPosition(unit, tree)));
  }

  /** {@return the number of lines of a tree} */
  long length(Tree tree) {
    LineMap map = unit.getLineMap();
    long end = positions.getEndPosition(unit, tree);
    return map.getLineNumber(end) - line(tree) + 1;
  }

  String at(Tree tree, String what) {
    return path + ":" + line(tree) + ": " + what;
  }
}
