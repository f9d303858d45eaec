package ib.bench.connect;

/** A listener and its clients, both in this process. */
interface Net {
  /** {@return the name of its row} */
  String name();

  /**
   * Begins to connect.
   *
   * @return waits until the connection is made
   */
  Making begin() throws Exception;

  /** Closes all. */
  void close() throws InterruptedException;

  /** A connection that is on its way. */
  interface Making {
    /** Waits until the connection is made; {@return the connection} */
    Made get() throws Exception;
  }

  /** A connection that is made. */
  interface Made {
    /** Begins to end it. */
    void disconnect() throws Exception;

    /** Waits until it has ended, and closes it. */
    void close() throws Exception;
  }
}
