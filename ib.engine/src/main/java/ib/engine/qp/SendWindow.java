package ib.engine.qp;

/**
 * How many packets of a queue pair may be outstanding on a wire that segments. The packets behind a
 * lost one are sent for nothing (go-back-N), and a packet that finds a socket's buffer full is
 * lost. So the window halves after a loss, and after a congestion notification of the peer (IBA
 * annex A17.9.3), at most once per window of acknowledged packets; it does not get smaller than
 * {@code MIN_PACKETS}. It grows by {@code STEP} packets for each window of acknowledged packets, so
 * that a window of 64 packets is 128 packets again after 16 round trips. Two flows through a queue
 * that marks packets at random get 0.98 to 1.03 of each other's share ({@code
 * CongestionShareTest}); each peer sends a notification in 50 us at most. Only the thread that
 * holds the queue pair's claim may call these methods.
 */
abstract class SendWindow {
  private static final int MIN_PACKETS = 16; // however much gets lost
  private static final int STEP = 4;
  private static final int NONE = -1;

  private final int most;
  private int size;
  private int acknowledged; // since it was made larger
  private int since; // acknowledged since it was halved
  private int doubled = NONE;

  SendWindow(int most) {
    this.most = most;
    this.size = most;
  }

  /** Opens the window fully, for a new connection. */
  public final void openWindow() {
    size = most;
    acknowledged = 0;
    doubled = NONE;
  }

  /** {@return packets that may be under way} */
  public final int windowSize() {
    return size;
  }

  /** {@return packets of a read that are asked for at once: two such parts fill the full window} */
  public final int readPart() {
    return most / 2;
  }

  /**
   * A packet was lost.
   *
   * @param psn its sequence number
   * @param nak whether a NAK reported the loss. A responder sends one NAK per gap (IBA 9.7.5.1.3),
   *     so only the timer would find a second loss of the same packet; while the window is reduced,
   *     the packet is therefore sent twice
   */
  public final void lost(int psn, boolean nak) {
    doubled = nak && size < most ? psn : NONE;
    halve();
  }

  /**
   * A congestion notification has arrived. Packets that were already outstanding can cause further
   * ones, so the window halves at most once per window of acknowledged packets.
   */
  public final void congested() {
    if (size == most || since >= size) {
      halve();
    }
  }

  private void halve() {
    size = Math.min(most, Math.max(MIN_PACKETS, size / 2));
    acknowledged = 0;
    since = 0;
  }

  /** {@return whether what was just sent is to be sent once more} */
  public final boolean again(int psn) {
    boolean again = psn == doubled;
    doubled = again ? NONE : doubled;
    return again;
  }

  /** Counts packets that were acknowledged. */
  public final void acknowledged(int packets) {
    if (size < most) {
      since = Math.min(most, since + packets);
      acknowledged += packets;
      if (acknowledged >= size) {
        acknowledged = 0;
        size = Math.min(most, size + STEP);
      }
    }
  }
}
