package ib.tools.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What the originals printed; the first line of each file is the command. */
public final class Golden {
  private Golden() {}

  /** The output, with the last line's end. */
  public static String of(String name) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + name + ".txt")) {
      String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return all.substring(all.indexOf('\n') + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
