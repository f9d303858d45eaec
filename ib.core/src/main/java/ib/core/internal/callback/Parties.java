package ib.core.internal.callback;

import ib.core.client.Violation;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * One name for each party: the bundle's symbolic name, whether a check knows its client, its device
 * or its driver. The verifier knows bundles only. Without OSGi each part keeps its own name.
 *
 * <p>Any thread may read, also in an atomic section: no lock.
 */
final class Parties {
  private static final int MAX_NAMES = 4_096; // bounds what names that are never used again take
  private final NavigableMap<String, String> bundles = new ConcurrentSkipListMap<>();

  /**
   * Reports of a part are its bundle's from now on.
   *
   * @param part the name of a client or of a device
   * @param bundle the symbolic name of the bundle that it comes from
   */
  void know(String part, String bundle) {
    bundles.put(part, bundle);
    if (bundles.size() > MAX_NAMES) {
      bundles.pollFirstEntry();
    }
  }

  /** {@return the violation with the bundle's name, and with the part's behind the text} */
  Violation named(Violation v) {
    String part = v.culprit();
    String bundle = bundles.getOrDefault(part, part);
    if (bundle.equals(part)) {
      return v;
    }
    String text = v.text().contains(part) ? v.text() : v.text() + " (" + part + ')';
    return new Violation(v.clause(), bundle, text, v.instead(), v.stack(), v.otherStack());
  }
}
