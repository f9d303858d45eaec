package ib.tools.capture;

/** A capture that was started from the shell, wherever its packets go. */
interface Target extends AutoCloseable {
  /** {@return the device's name} */
  String device();

  /** {@return where to, for example {@code TCP@127.0.0.1:19047}} */
  String where();

  /** {@return what is going on, in a word or two} */
  String state();

  /** {@return packets written so far} */
  long written();

  /** {@return packets left out because the reader was too slow} */
  long dropped();

  @Override
  void close();
}
