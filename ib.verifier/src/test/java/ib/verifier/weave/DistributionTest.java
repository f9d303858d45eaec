package ib.verifier.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 15: each class of the distribution is still one that the JVM accepts")
class DistributionTest {
  private static final ClassLoader LOADER = DistributionTest.class.getClassLoader();
  private static final ClassFile FILES =
      ClassFile.of(
          ClassFile.ClassHierarchyResolverOption.of(
              ClassHierarchyResolver.ofResourceParsing(LOADER)
                  .orElse(ClassHierarchyResolver.defaultResolver())));

  @ParameterizedTest
  @DisplayName("woven, it passes the verifier of class files, and some are woven in each module")
  @ValueSource(
      strings = {
        "ib/core/internal/Midlayer",
        "ib/driver/soft/SoftDriver",
        "ib/driver/rxe/RxeDriver",
        "ib/engine/SoftHca",
        "ib/tools/IbCommands",
        "ib/ulp/ipoib/IpoibComponent"
      })
  void verified(String member) throws Exception {
    Weaver weaver = new Weaver(BlockingRules.standard(), LOADER, "test");
    int woven = 0;
    for (byte[] original : module(member)) {
      byte[] bytes = weaver.weave(original).orElse(null);
      if (bytes != null) {
        woven++;
        List<VerifyError> errors = FILES.verify(bytes);
        assertEquals(List.of(), errors);
      }
    }
    assertTrue(woven > 5, woven + " classes woven");
  }

  /** All classes of the jar or the folder that has a class. */
  private static List<byte[]> module(String member) throws Exception {
    URI uri = LOADER.getResource(member + ".class").toURI();
    if (uri.getScheme().equals("jar")) {
      try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
        return classes(jar.getPath("/"));
      }
    }
    Path root = Path.of(uri);
    for (int i = 0; i < member.split("/").length; i++) {
      root = root.getParent();
    }
    return classes(root);
  }

  private static List<byte[]> classes(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(f -> f.toString().endsWith(".class") && f.toString().contains("ib/"))
          .map(DistributionTest::bytes)
          .toList();
    }
  }

  private static byte[] bytes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
