package ib.engine.wire;

/** The Mad target under the name that Jazzer looks for. */
public final class MadFuzz {
  private static final Fuzz.Target TARGET = new Fuzz().mad();

  private MadFuzz() {}

  /** One execution. */
  public static void fuzzerTestOneInput(byte[] input) {
    TARGET.run(input);
  }
}
