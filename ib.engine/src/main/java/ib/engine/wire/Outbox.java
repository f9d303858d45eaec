package ib.engine.wire;

/**
 * Packets that a wire has accepted and not sent yet, because more are likely to follow in the same
 * run of the engine. One system call costs as much as the work for many packets, so a wire sends
 * them together.
 */
@FunctionalInterface
public interface Outbox {
  /**
   * Sends the packets now. Never waits: a packet for which the operating system has no buffer is
   * dropped and counted. Afterwards the run does not refer to this outbox any more.
   */
  void flush();
}
