package ib.tools.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The usage texts of the originals, from resources. They name the options that the commands here
 * accept: what an original has beyond that is left out, what a command has beyond its original is
 * added at the end.
 */
public final class Usage {
  private Usage() {}

  /**
   * Reads a text.
   *
   * @param command for example {@code ibv_devinfo}
   * @return the text, without the last line's end
   */
  public static String of(String command) {
    String name = "/ib/tools/usage/" + command + ".txt";
    try (InputStream in = Usage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
