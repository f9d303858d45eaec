package ib.tools.output;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** A text table with aligned columns, for the commands without an original. */
public final class Columns {
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Creates a table.
   *
   * @param titles the first row
   */
  public Columns(String... titles) {
    rows.add(List.of(titles));
  }

  /**
   * Adds a row.
   *
   * @param cells as many as there are titles
   * @return this
   */
  public Columns row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell.toString());
    }
    rows.add(row);
    return this;
  }

  /** {@return the table, without the last line's end and without trailing blanks} */
  public String text() {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringJoiner lines = new StringJoiner("\n");
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines.toString();
  }
}
