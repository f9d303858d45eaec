package ib.tools.fabric;

import ib.core.mad.smp.SmpAttribute;
import java.lang.foreign.MemorySegment;

/** Reads and writes attributes of subnet management (SubnGet, SubnSet). */
public interface SmpQuery extends AutoCloseable {
  /**
   * Reads an attribute (SubnGet). Blocks until the answer or a time limit.
   *
   * @param to route to the port
   * @param attribute the attribute
   * @param modifier attribute modifier
   * @return the attribute, 64 bytes
   * @throws NoAnswerException when no answer arrives, or one with an error status
   */
  MemorySegment get(Route to, SmpAttribute attribute, int modifier) throws NoAnswerException;

  /**
   * Writes an attribute (SubnSet). Blocks until the answer or a time limit.
   *
   * @param to route to the port
   * @param attribute the attribute
   * @param modifier attribute modifier
   * @param data 64 bytes
   * @return the attribute in the answer, 64 bytes
   * @throws NoAnswerException when no answer arrives, or one with an error status
   */
  MemorySegment set(Route to, SmpAttribute attribute, int modifier, MemorySegment data)
      throws NoAnswerException;

  /** {@return the LID of the local port; 0 when it has none} */
  int lid();

  /** {@return the LID of the subnet manager that the local port knows; 0 for none} */
  int smLid();

  @Override
  void close();
}
