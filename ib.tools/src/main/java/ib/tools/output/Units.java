package ib.tools.output;

import java.util.HexFormat;
import java.util.Locale;

/** Formats numbers in the forms that several commands share. */
public final class Units {
  private Units() {}

  /**
   * Returns a GUID as text.
   *
   * @param guid the GUID
   * @return for example {@code 5054:00ff:fe12:3456}
   */
  public static String guid(long guid) {
    return HexFormat.of().toHexDigits(guid).replaceAll("(....)(?!$)", "$1:");
  }

  /**
   * Parses the text of {@link #guid}.
   *
   * @param text for example {@code 5054:00ff:fe12:3456}
   * @return the GUID
   */
  public static long parseGuid(String text) {
    return HexFormat.fromHexDigitsToLong(text.replace(":", ""));
  }

  /**
   * Returns a time in tenths of milliseconds, for tables.
   *
   * @param ns nanoseconds
   * @return for example {@code 0.3 ms}
   */
  public static String ms(long ns) {
    return String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
  }

  /**
   * Returns a time in whole milliseconds, for reports.
   *
   * @param ns nanoseconds
   * @return for example {@code 2 ms}
   */
  public static String wholeMs(long ns) {
    return Math.round(ns / 1e6) + " ms";
  }
}
