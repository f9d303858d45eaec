package ib.tools.rdma;

import ib.tools.getopt.CommandException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The filters after a kind of objects: pairs of a member's name and the values to show, numbers as
 * {@code 5}, {@code 1,7} or {@code 2-9}, words as {@code rc,ud}.
 */
final class Filter {
  private final Map<String, String> wanted = new LinkedHashMap<>();

  /**
   * Parses the pairs.
   *
   * @param words all words after the kind, including {@code link DEV/PORT} or {@code dev DEV}
   * @param numbers names of numeric members
   * @param texts names of other members
   */
  Filter(List<String> words, Set<String> numbers, Set<String> texts) {
    if (words.size() == 1) {
      throw new CommandException(
          "No filter data was supplied to filter option " + words.getFirst());
    }
    if (words.size() % 2 != 0) {
      throw new CommandException("There is filter option without data");
    }
    for (int i = 0; i < words.size(); i += 2) {
      String key = words.get(i);
      String value = words.get(i + 1);
      if (numbers.contains(key)) {
        if (!value.matches("[0-9,-]*")) {
          throw new CommandException(key + " filter accepts \"1234567890,-\" characters only");
        }
      } else if (!texts.contains(key)) {
        throw new CommandException("Unsupported filter option: " + key);
      }
      wanted.put(key, value);
    }
  }

  /** {@return whether an object is shown} An object without a filtered member is not. */
  boolean accepts(Line line) {
    return wanted.entrySet().stream()
        .filter(w -> !w.getKey().equals("link") && !w.getKey().equals("dev"))
        .allMatch(w -> accepts(w.getValue(), line.get(w.getKey())));
  }

  private static boolean accepts(String wanted, @Nullable Object value) {
    if (value == null) {
      return false;
    }
    if (value instanceof List<?> many) {
      return many.stream().anyMatch(one -> accepts(wanted, one));
    }
    for (String part : wanted.split(",", -1)) {
      if (part.equalsIgnoreCase(value.toString())) {
        return true;
      }
      if (value instanceof Long number && part.matches("[0-9]{1,18}-[0-9]{1,18}")) {
        int dash = part.indexOf('-');
        if (number >= Long.parseLong(part.substring(0, dash))
            && number <= Long.parseLong(part.substring(dash + 1))) {
          return true;
        }
      }
    }
    return false;
  }
}
