package ib.tools.getopt;

import java.util.function.LongPredicate;

/**
 * Parses numbers as the originals do: decimal, hexadecimal after 0x, octal after 0 (strtol with
 * base 0). Unlike strtol, refuses further characters after the number.
 */
final class Numbers {
  private Numbers() {}

  static long parse(String text, LongPredicate valid) {
    if (text.indexOf('#') >= 0) { // Long.decode reads it as hexadecimal, strtol does not
      throw new NumberFormatException(text);
    }
    long value = Long.decode(text);
    if (!valid.test(value)) {
      throw new NumberFormatException(text);
    }
    return value;
  }
}
