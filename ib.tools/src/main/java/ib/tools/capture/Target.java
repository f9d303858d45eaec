package ib.tools.capture;

/** A capture that a shell has started, to a file or to a port. */
interface Target extends AutoCloseable {
  /** {@return the device's name} */
  String device();

  /** {@return the target, for example {@code TCP@127.0.0.1:19047}} */
  String where();

  /** {@return the state of the capture in a word or two} */
  String state();

  /** {@return packets written so far} */
  long written();

  /** {@return packets left out because the reader was too slow} */
  long dropped();

  @Override
  void close();
}
