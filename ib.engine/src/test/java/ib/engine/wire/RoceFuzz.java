package ib.engine.wire;

/** The Roce target under the name that Jazzer looks for. */
public final class RoceFuzz {
  private static final Fuzz.Target TARGET = new Fuzz().roce();

  private RoceFuzz() {}

  /** One execution. */
  public static void fuzzerTestOneInput(byte[] input) {
    TARGET.run(input);
  }
}
