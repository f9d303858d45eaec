package ib.core.mad;

/** Hears the requests of others that an agent is registered for. */
@FunctionalInterface
public interface MadHandler {
  /** Of an agent that only sends. */
  MadHandler NONE = (agent, request) -> {};

  /**
   * A request, trap or report has arrived. Never two calls of one agent at once, never on the stack
   * of a caller (M11). It may sleep, but holds up this agent (no other) while it does. An exception
   * is recorded as a violation and otherwise ignored.
   *
   * @param agent the agent
   * @param request what arrived; answer with {@link MadAgent#reply}, now or later, or never
   */
  void received(MadAgent agent, MadReceived request);
}
