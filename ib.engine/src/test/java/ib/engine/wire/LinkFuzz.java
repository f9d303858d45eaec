package ib.engine.wire;

/** The Link target under the name that Jazzer looks for. */
public final class LinkFuzz {
  private static final Fuzz.Target TARGET = new Fuzz().link();

  private LinkFuzz() {}

  /** One execution. */
  public static void fuzzerTestOneInput(byte[] input) {
    TARGET.run(input);
  }
}
