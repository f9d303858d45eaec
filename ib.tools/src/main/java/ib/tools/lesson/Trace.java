package ib.tools.lesson;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.kit.capture.CapturedPacket;
import ib.tools.getopt.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The packets of a lesson so far. The capture's thread adds them, the lesson's thread reads. */
final class Trace implements Consumer<CapturedPacket> {
  private static final int MAX_PACKETS = 1000; // a capture stays small, and a list readable
  private static final long WAIT_MS = 5_000;

  @GuardedBy("this")
  private final List<Seen> packets = new ArrayList<>();

  @GuardedBy("this")
  private long firstNs;

  @Override
  public synchronized void accept(CapturedPacket packet) {
    if (packets.isEmpty()) {
      firstNs = packet.timeNs();
    }
    if (packets.size() < MAX_PACKETS) {
      packets.add(Seen.of(packets.size() + 1, firstNs, packet));
    }
    notifyAll();
  }

  synchronized List<Seen> packets() {
    return List.copyOf(packets);
  }

  /**
   * Waits until a packet was captured.
   *
   * @param what is awaited, for the message
   * @param wanted picks the packet
   * @return the first such packet
   * @throws CommandException after 5 s without it, or when the thread is interrupted
   */
  synchronized Seen await(String what, Predicate<Seen> wanted) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS);
    try {
      for (; ; ) {
        for (Seen each : packets) {
          if (wanted.test(each)) {
            return each;
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new CommandException("ib:lesson: no " + what + " within " + WAIT_MS + " ms");
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      throw Party.interrupted();
    }
  }
}
