package ib.tools.fabric;

import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import java.util.Map;

/** A node whose ports have counters. Calls may block until the node answers. */
public interface Counted extends AutoCloseable {
  /** {@return the node's name for a person} */
  String name();

  /** {@return the number of ports} */
  int ports();

  /**
   * {@return the LID of a port}
   *
   * @param port the port
   */
  int lid(int port);

  /**
   * {@return what the performance management agent can do (IBA 16.1.3.1)}
   *
   * @throws NoAnswerException when the node does not answer
   */
  int capMask() throws NoAnswerException;

  /**
   * Reads counters.
   *
   * @param port the port
   * @param form which
   * @return the counters
   * @throws NoAnswerException when the node does not answer, or refuses
   */
  Map<PortCounter, Long> read(int port, Form form) throws NoAnswerException;

  /**
   * Resets counters.
   *
   * @param port the port
   * @param form which
   * @param mask CounterSelect, and from bit 16 on CounterSelect2
   * @throws NoAnswerException when the node does not answer, or refuses
   */
  void reset(int port, Form form, int mask) throws NoAnswerException;

  @Override
  void close();
}
