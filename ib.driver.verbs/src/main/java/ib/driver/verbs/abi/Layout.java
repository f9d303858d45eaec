package ib.driver.verbs.abi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The structures of libibverbs, read from {@code layout.tsv}: one line for each structure and field
 * that the driver uses, with offset and size in bytes on LP64. A class that reads a structure keeps
 * each offset in a constant.
 */
public final class Layout {
  /** Name of the table's resource beside this class. */
  public static final String TABLE = "layout.tsv";

  private static final String WHOLE = "-";
  private static final Map<String, Place> PLACES = read();

  private record Place(long offset, long size) {}

  private Layout() {}

  private static Map<String, Place> read() {
    Map<String, Place> places = new HashMap<>();
    try (InputStream in = Objects.requireNonNull(Layout.class.getResourceAsStream(TABLE))) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      text.lines()
          .skip(1)
          .map(line -> line.split("\t"))
          .forEach(
              w ->
                  places.put(
                      w[0] + " " + w[1], new Place(Long.parseLong(w[2]), Long.parseLong(w[3]))));
      return places;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Place place(String struct, String field) {
    Place place = PLACES.get(struct + " " + field);
    if (place == null) {
      throw new IllegalArgumentException(TABLE + " has no " + struct + " " + field);
    }
    return place;
  }

  /**
   * Returns the size of a structure.
   *
   * @param struct its name in C, for example {@code ibv_wc}
   * @return bytes
   */
  public static long size(String struct) {
    return place(struct, WHOLE).size;
  }

  /**
   * Returns where a field is.
   *
   * @param struct name of the structure in C
   * @param field the field, members of members with dots
   * @param size the bytes with which the caller reads the field
   * @return bytes from the start of the structure
   * @throws IllegalArgumentException when there is no such field, or when it has another size
   */
  public static long at(String struct, String field, int size) {
    Place place = place(struct, field);
    if (place.size != size) {
      throw new IllegalArgumentException(struct + " " + field + " has " + place.size + " bytes");
    }
    return place.offset;
  }

  /**
   * Returns where a member structure, an array or a pointer is.
   *
   * @param struct name of the structure in C
   * @param field the field
   * @return bytes from the start of the structure
   */
  public static long at(String struct, String field) {
    return place(struct, field).offset;
  }
}
