package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.DropReason;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * F-01, F-40: any bytes at all. {@code -Dib.fuzz.executions} says how many of them, {@code
 * -Dib.fuzz.seed} which.
 */
@Tag("finding")
@DisplayName("F-01, F-40, D9: decoders and an independent one agree on any bytes")
class FuzzTest {
  private static final int EXECUTIONS = Integer.getInteger("ib.fuzz.executions", 500_000);
  private static final long SEED = Long.getLong("ib.fuzz.seed", 20_251);
  private static final int CANARY_EXECUTIONS = 100_000;

  /** A target and its corpus. */
  record Named(String name, Fuzz.Target target) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Named> targets() {
    Fuzz fuzz = new Fuzz();
    return Stream.of(
        new Named("roce", fuzz.roce()),
        new Named("link", fuzz.link()),
        new Named("mad", fuzz.mad()));
  }

  private static void run(Fuzz.Target target, byte[] input) {
    try {
      target.run(input);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("input " + HexFormat.of().formatHex(input), e);
    }
  }

  private static void fuzz(Fuzz.Target target, Corpus corpus, int executions) {
    for (int i = 0; i < executions; i++) {
      run(target, corpus.next());
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  @DisplayName("the kept inputs")
  void corpus(Named named) {
    Corpus corpus = Corpus.of(named.name, SEED);
    assertTrue(corpus.inputs().size() >= 10, "inputs are kept");
    corpus.inputs().forEach(input -> run(named.target, input));
  }

  @ParameterizedTest
  @MethodSource("targets")
  @DisplayName("what a seed makes of them")
  void mutations(Named named) {
    fuzz(named.target, Corpus.of(named.name, SEED), EXECUTIONS);
  }

  @ParameterizedTest
  @EnumSource(
      value = DropReason.class,
      names = {"MAD_VERSION", "LVER", "LNH", "GRH", "VCRC"},
      mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("canary: a RoCE decoder that forgets one check is found out")
  void roceCanary(DropReason forgotten) {
    RoceCodec codec = new RoceCodec();
    RoceFrame frame = new RoceFrame();
    Fuzz.Decoder planted =
        (bytes, length, p) -> {
          DropReason reason = codec.decode(bytes, 0, length, p, frame);
          return reason == forgotten ? null : reason;
        };
    assertFound(new Fuzz().roce(planted), "roce");
  }

  @ParameterizedTest
  @EnumSource(
      value = DropReason.class,
      names = {"MAD_VERSION", "NOT_ROCE", "IP"},
      mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("canary: a link decoder that forgets one check is found out")
  void linkCanary(DropReason forgotten) {
    LinkCodec codec = new LinkCodec();
    Fuzz.Decoder planted =
        (bytes, length, p) -> {
          DropReason reason = codec.decode(bytes, 0, length, p);
          return reason == forgotten ? null : reason;
        };
    assertFound(new Fuzz().link(planted), "link");
  }

  @Test
  @DisplayName("canary: a decoder that throws is found out")
  void throwingCanary() {
    RoceCodec codec = new RoceCodec();
    RoceFrame frame = new RoceFrame();
    Fuzz.Decoder planted =
        (bytes, length, p) -> {
          DropReason reason = codec.decode(bytes, 0, length, p, frame);
          if (reason == DropReason.PAD) {
            throw new IndexOutOfBoundsException("planted");
          }
          return reason;
        };
    assertFound(new Fuzz().roce(planted), "roce");
  }

  private static void assertFound(Fuzz.Target target, String corpus) {
    assertThrows(
        AssertionError.class, () -> fuzz(target, Corpus.of(corpus, SEED), CANARY_EXECUTIONS));
  }
}
