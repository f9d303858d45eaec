package ib.engine.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/** The inputs kept for a target, and what is made of them: damaged, cut, spliced, grown. */
final class Corpus {
  private static final byte[] INTERESTING = {0, 1, 4, 8, 0x0f, 0x10, 0x1f, 0x20, 0x7f, -128, -1};

  private final List<byte[]> inputs;
  private final SplittableRandom random;

  private Corpus(List<byte[]> inputs, long seed) {
    this.inputs = inputs;
    this.random = new SplittableRandom(seed);
  }

  /** Reads {@code corpus/<name>.hex}: an input in each line. */
  static Corpus of(String name, long seed) {
    try (InputStream in = Corpus.class.getResourceAsStream("corpus/" + name + ".hex")) {
      if (in == null) {
        throw new AssertionError("no corpus of " + name);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      return new Corpus(text.lines().map(HexFormat.of()::parseHex).toList(), seed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<byte[]> inputs() {
    return inputs;
  }

  /** One more input. */
  byte[] next() {
    byte[] from = any();
    byte[] made = from.clone();
    switch (random.nextInt(8)) {
      case 0 -> made = resized(from, random.nextInt(from.length + 1));
      case 1 -> made = resized(from, from.length + random.nextInt(65));
      case 2 -> {
        byte[] other = any();
        int n = Math.min(made.length, other.length);
        int at = random.nextInt(n + 1);
        System.arraycopy(other, at, made, at, n - at);
      }
      default -> {} // only what follows
    }
    for (int i = random.nextInt(4); i > 0 && made.length > 0; i--) {
      // most decisions stand in the first hundred bytes
      int at = random.nextInt(random.nextBoolean() ? Math.min(made.length, 100) : made.length);
      made[at] =
          switch (random.nextInt(3)) {
            case 0 -> (byte) (made[at] ^ 1 << random.nextInt(8));
            case 1 -> INTERESTING[random.nextInt(INTERESTING.length)];
            default -> (byte) random.nextInt();
          };
    }
    if (made.length > 0) {
      made[0] = (byte) random.nextInt(8); // what is put right
    }
    return made;
  }

  private byte[] any() {
    return inputs.get(random.nextInt(inputs.size()));
  }

  private byte[] resized(byte[] from, int length) {
    byte[] made = new byte[length];
    random.nextBytes(made);
    System.arraycopy(from, 0, made, 0, Math.min(length, from.length));
    return made;
  }
}
