package ib.cm.internal.machine;

import ib.core.mad.cm.CmDrop;
import ib.core.mad.cm.CmKind;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts messages by name: sent, of which some again; received, of which some for the second time;
 * dropped by reason. Linux: cm_tx_msgs, cm_tx_retries, cm_rx_msgs, cm_rx_duplicates (LX-7).
 */
final class Counts {
  private final Map<String, Long> counts = new TreeMap<>();

  void sent(CmKind kind) {
    count("sent." + kind);
  }

  void received(CmKind kind) {
    count("received." + kind);
  }

  void repeated(CmKind kind) {
    count("repeated." + kind);
  }

  void duplicate(CmKind kind) {
    count("duplicate." + kind);
  }

  void dropped(Drop why) {
    count("dropped." + why);
  }

  void dropped(CmDrop why) {
    count("dropped." + why);
  }

  private void count(String name) {
    counts.merge(name, 1L, Long::sum);
  }

  Map<String, Long> copy() {
    return new TreeMap<>(counts);
  }
}
