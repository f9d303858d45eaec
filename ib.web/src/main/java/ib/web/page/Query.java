package ib.web.page;

import java.util.Map;

/**
 * The parameters of a request.
 *
 * @param values name to value, at most {@value #MAX_PARAMETERS}; the rest is left out
 */
public record Query(Map<String, String> values) {
  /** Most parameters that a request may have. */
  public static final int MAX_PARAMETERS = 32;

  /** Most characters that a value may have. */
  public static final int MAX_CHARACTERS = 200;

  /**
   * Copies the parameters.
   *
   * @throws RefusedException when a value is too long
   */
  public Query {
    values = Map.copyOf(values);
    values.forEach(Query::check);
  }

  private static void check(String name, String value) {
    if (value.length() > MAX_CHARACTERS) {
      throw new RefusedException(
          "%.40s has %d characters, at most %d are possible"
              .formatted(name, value.length(), MAX_CHARACTERS));
    }
  }

  /**
   * {@return the value of a parameter, without blanks around it; empty when there is none}
   *
   * @param name name of the parameter
   */
  public String get(String name) {
    return values.getOrDefault(name, "").strip();
  }
}
