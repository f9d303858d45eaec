package ib.tools.output;

import java.util.HexFormat;
import java.util.Locale;

/** Figures in the forms that tools share. */
public final class Units {
  private Units() {}

  /**
   * A GUID as the field writes it.
   *
   * @param guid the GUID
   * @return for example {@code 5054:00ff:fe12:3456}
   */
  public static String guid(long guid) {
    return HexFormat.of().toHexDigits(guid).replaceAll("(....)(?!$)", "$1:");
  }

  /**
   * Reads what {@link #guid} wrote.
   *
   * @param text for example {@code 5054:00ff:fe12:3456}
   * @return the GUID
   */
  public static long parseGuid(String text) {
    return HexFormat.fromHexDigitsToLong(text.replace(":", ""));
  }

  /**
   * A time in tenths of milliseconds, for tables.
   *
   * @param ns nanoseconds
   * @return for example {@code 0.3 ms}
   */
  public static String ms(long ns) {
    return String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
  }

  /**
   * A time in whole milliseconds, for reports.
   *
   * @param ns nanoseconds
   * @return for example {@code 2 ms}
   */
  public static String wholeMs(long ns) {
    return Math.round(ns / 1e6) + " ms";
  }
}
