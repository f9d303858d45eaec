package ib.tools.output;

import java.lang.reflect.RecordComponent;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON in the layout of iproute2's writer, as {@code rdma -j} and {@code rdma -jp} print it.
 * In pretty form each member has its own line; elements of arrays do not.
 */
public final class Json {
  private final StringBuilder out = new StringBuilder();
  private final boolean pretty;
  private int depth;

  private Json(boolean pretty) {
    this.pretty = pretty;
  }

  /**
   * Writes a value.
   *
   * @param value the value: maps, {@link JsonView}s and records become objects, lists become
   *     arrays, numbers and booleans stay, any other value becomes its text
   * @param pretty whether to break and indent lines
   * @return the JSON text, without a last line's end
   */
  public static String write(@Nullable Object value, boolean pretty) {
    Json json = new Json(pretty);
    json.value(value);
    return json.out.toString();
  }

  private void value(@Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case JsonView view -> object(view.json());
      case Map<?, ?> map -> object(map);
      case List<?> list -> array(list);
      case Number number -> out.append(number);
      case Boolean bool -> out.append(bool.booleanValue());
      case Record rec when !hasOwnText(rec) -> object(members(rec));
      default -> string(value.toString());
    }
  }

  /**
   * {@return whether a record has its own text, such as a GID, and is therefore written as a
   * string}
   */
  private static boolean hasOwnText(Record rec) {
    return !rec.toString().startsWith(rec.getClass().getSimpleName() + "[");
  }

  private static Map<String, Object> members(Record rec) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (RecordComponent c : rec.getClass().getRecordComponents()) {
      try {
        members.put(c.getName(), c.getAccessor().invoke(rec));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read " + rec.getClass() + "." + c.getName(), e);
      }
    }
    return members;
  }

  private void object(Map<?, ?> members) {
    out.append('{');
    depth++;
    boolean first = true;
    for (Map.Entry<?, ?> member : members.entrySet()) {
      if (!first) {
        out.append(',');
      }
      first = false;
      line();
      string(String.valueOf(member.getKey()));
      out.append(pretty ? ": " : ":");
      value(member.getValue());
    }
    depth--;
    if (!first) {
      line();
    }
    out.append('}');
  }

  private void array(List<?> elements) {
    out.append(pretty ? "[ " : "[");
    depth++;
    for (Iterator<?> i = elements.iterator(); i.hasNext(); ) {
      value(i.next());
      if (i.hasNext()) {
        out.append(',');
      }
    }
    depth--;
    out.append(pretty && !elements.isEmpty() ? " ]" : "]");
  }

  private void line() {
    if (pretty) {
      out.append('\n').repeat("    ", depth);
    }
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\t' -> out.append("\\t");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\f' -> out.append("\\f");
        case '\b' -> out.append("\\b");
        case '\\' -> out.append("\\\\");
        case '"' -> out.append("\\\"");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
