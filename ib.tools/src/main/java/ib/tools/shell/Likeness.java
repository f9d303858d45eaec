package ib.tools.shell;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds the names that are like one. */
public final class Likeness {
  private static final int MAX_NAMES = 3;

  private Likeness() {}

  /**
   * Finds names that are like one.
   *
   * @param given what was typed
   * @param names all names
   * @return at most three: those at the least distance, if at most a third of the letters differ;
   *     else those that begin with what was typed
   */
  public static List<String> find(String given, Collection<String> names) {
    int most = Math.max(1, given.length() / 3);
    int least = names.stream().mapToInt(n -> distance(given, n)).min().orElse(most + 1);
    return names.stream()
        .filter(n -> least <= most ? distance(given, n) == least : n.startsWith(given))
        .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
        .limit(MAX_NAMES)
        .toList();
  }

  /** {@return how many letters must be added, removed or changed (Levenshtein)} */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
