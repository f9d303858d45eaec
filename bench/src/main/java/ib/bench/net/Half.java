package ib.bench.net;

import java.util.function.BooleanSupplier;

/** One end of an exchange: the server's, or the client's that measures. */
interface Half extends AutoCloseable {
  /** What the other end must know of this one. */
  default String about() {
    return "-";
  }

  /** The other end is there. */
  default void connect(String peer) {}

  /** The server: answers, or takes what comes, until it is told to stop. */
  void serve(BooleanSupplier stop);

  /**
   * The client: exchanges messages.
   *
   * @param untilNs {@link System#nanoTime} when it ends
   * @return how many round trips, or messages, were done
   */
  long drive(long untilNs);

  /** {@return datagrams that this end's device has sent so far; 0 where nothing counts them} */
  default long sent() {
    return 0;
  }

  /** {@return those of them that the system has cut from a longer send} */
  default long cut() {
    return 0;
  }

  @Override
  void close();
}
