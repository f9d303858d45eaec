package ib.verifier.weave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The classes that a class loader sees, read from their files: asking for a class loads none, and
 * so starts no bundle.
 */
final class Hierarchy {
  private final ClassLoader loader;
  private final Map<String, Optional<Facts>> known = new ConcurrentHashMap<>();

  Hierarchy(ClassLoader loader) {
    this.loader = loader;
  }

  /** {@return a class and its supertypes as far as their files are found, the class first} */
  List<Facts> withSupertypes(String internalName) {
    List<Facts> found = new ArrayList<>();
    SequencedSet<String> open = new LinkedHashSet<>(List.of(internalName));
    SequencedSet<String> seen = new LinkedHashSet<>();
    while (!open.isEmpty()) {
      String name = open.removeFirst();
      if (seen.add(name)) {
        facts(name)
            .ifPresent(
                facts -> {
                  found.add(facts);
                  open.addAll(facts.supertypes());
                });
      }
    }
    return found;
  }

  private Optional<Facts> facts(String name) {
    Optional<Facts> facts = known.get(name);
    if (facts == null) { // not computeIfAbsent: reading may call this again
      facts = read(name);
      known.put(name, facts);
    }
    return facts;
  }

  private Optional<Facts> read(String name) {
    try (InputStream in = open(name + ".class")) {
      return in == null
          ? Optional.empty()
          : Optional.of(Facts.of(ClassFile.of().parse(in.readAllBytes())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private InputStream open(String file) {
    InputStream in = loader.getResourceAsStream(file);
    return in != null ? in : ClassLoader.getSystemResourceAsStream(file);
  }
}
