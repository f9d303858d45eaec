package ib.engine.wire;

/**
 * What a wire has taken over and not sent yet, because more of the same is likely to follow in the
 * same run of the engine: one system call costs as much as the packets of many.
 */
@FunctionalInterface
public interface Outbox {
  /**
   * Sends it now. Never waits: what the system has no room for is lost, and counted. Afterwards the
   * run does not refer to it any more.
   */
  void flush();
}
