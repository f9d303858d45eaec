package ib.tools.fabric;

import ib.core.mad.smp.SmpAttribute;
import java.lang.foreign.MemorySegment;

/** Asks nodes for attributes of subnet management (SubnGet). */
public interface SmpQuery extends AutoCloseable {
  /**
   * Asks and waits for the answer, for a bounded time.
   *
   * @param to whom
   * @param attribute what
   * @param modifier of the attribute
   * @return its 64 bytes
   * @throws NoAnswerException when none came, or one that refuses
   */
  MemorySegment get(Route to, SmpAttribute attribute, int modifier) throws NoAnswerException;

  /**
   * Writes an attribute (SubnSet) and waits for the answer, for a bounded time.
   *
   * @param to whom
   * @param attribute what
   * @param modifier of the attribute
   * @param data 64 bytes
   * @return the attribute as it is then, 64 bytes
   * @throws NoAnswerException when no answer came, or one that refuses
   */
  MemorySegment set(Route to, SmpAttribute attribute, int modifier, MemorySegment data)
      throws NoAnswerException;

  /** {@return the LID of the port that asks, 0 when it has none} */
  int lid();

  /** {@return the LID of the subnet manager that the port knows, 0 for none} */
  int smLid();

  @Override
  void close();
}
