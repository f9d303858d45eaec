package ib.tools.getopt;

import java.util.function.LongPredicate;

/**
 * Numbers as the originals read them: decimal, 0x hexadecimal, 0 octal (strtol with base 0), but
 * nothing behind.
 */
final class Numbers {
  private Numbers() {}

  static long parse(String text, LongPredicate valid) {
    if (text.indexOf('#') >= 0) { // decode() takes it for hexadecimal, strtol does not
      throw new NumberFormatException(text);
    }
    long value = Long.decode(text);
    if (!valid.test(value)) {
      throw new NumberFormatException(text);
    }
    return value;
  }
}
