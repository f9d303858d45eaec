package ib.cm;

/** Hears the events of connections. */
@FunctionalInterface
public interface CmHandler {
  /**
   * An event has happened. Never two calls for one connection at once; never on the stack of a
   * caller. It may sleep, and may call everything.
   *
   * @param connection the connection
   * @param event what has happened
   */
  void heard(CmConnection connection, CmEvent event);
}
