package ib.tools.rdma;

import ib.tools.output.Printable;
import java.util.AbstractMap;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An object as the tool prints it: a map for scripts and JSON, and a line of text with a blank
 * after each word.
 */
public final class Line extends AbstractMap<String, Object> implements Printable {
  private final Map<String, Object> members = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();

  Line() {}

  /** Adds a member, printed as {@code name value}. */
  Line put(String name, String value) {
    return put(name, value, name + " " + value + " ");
  }

  /** Adds a member, printed as {@code name value}. */
  Line put(String name, long value) {
    return put(name, value, name + " " + value + " ");
  }

  /** Adds a key, which is hexadecimal text in JSON (print_color_hex). */
  Line putHex(String name, long value) {
    String hex = Long.toHexString(value);
    return put(name, hex, name + " 0x" + hex + " ");
  }

  /** Adds a member that is on or off. */
  Line putOnOff(String name, boolean value) {
    return put(name, value, name + (value ? " on " : " off "));
  }

  /** Adds a list, printed on a separate line. */
  Line putCaps(List<String> values) {
    return put("caps", values, "\n    caps: <" + String.join(", ", values) + ">");
  }

  /** Adds text without a member. */
  Line printed(String printed) {
    text.append(printed);
    return this;
  }

  /** Adds a member with a given text. */
  Line put(String name, Object value, String printed) {
    members.put(name, value);
    text.append(printed);
    return this;
  }

  @Override
  public Set<Entry<String, Object>> entrySet() {
    return Collections.unmodifiableMap(members).entrySet();
  }

  @Override
  public String text() {
    return text.toString();
  }
}
