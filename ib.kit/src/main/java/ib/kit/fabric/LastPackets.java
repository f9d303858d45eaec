package ib.kit.fabric;

import ib.kit.capture.CapturedPacket;
import ib.kit.capture.PacketText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Keeps the last packets of a capture. The thread of the capture hands them over, any thread reads;
 * guarded by this object's monitor.
 */
final class LastPackets implements Consumer<CapturedPacket> {
  private final int most;
  private final Deque<CapturedPacket> last = new ArrayDeque<>();
  private long seen;

  LastPackets(int most) {
    this.most = most;
  }

  @Override
  public synchronized void accept(CapturedPacket packet) {
    seen++;
    last.addLast(packet);
    if (last.size() > most) {
      last.removeFirst();
    }
  }

  /** {@return how many packets there were} */
  synchronized long seen() {
    return seen;
  }

  /** {@return a line for each of the last packets, with its time since the first of them} */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (CapturedPacket p : last) {
      double us = (p.timeNs() - last.getFirst().timeNs()) / 1000.0;
      String way = p.incoming() ? "in " : "out";
      lines.add(
          String.format(
              Locale.ROOT, "%+10.1f us %s %s; %s", us, way, PacketText.of(p), p.comment()));
    }
    return lines;
  }
}
