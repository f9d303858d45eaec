package samples.kv.api;

import ib.core.verbs.QueuePair;

/**
 * A server of the store; it is a service while the server's device is there. A client reads the
 * buckets itself, by RDMA READ. To change one it sends a {@link Bucket} with {@link #PUT} or {@link
 * #DELETE} as immediate data, and gets a message without bytes whose immediate data is the answer.
 */
public interface KeyValueServer {
  /** Store the key and the value of the bucket. */
  int PUT = 1;

  /** Delete the key of the bucket. */
  int DELETE = 2;

  /** The answer: it is done. */
  int DONE = 0;

  /** The answer: there is no such key. */
  int ABSENT = 1;

  /** The answer: no bucket is free for the key. */
  int FULL = 2;

  /** The answer: the message is wrong. */
  int REFUSED = 3;

  /**
   * Connects a client.
   *
   * @param client its queue pair, of type RC, in state RESET; ready to send afterwards
   * @return the connection; close it
   * @throws StoreException when the server's device goes
   * @throws ib.core.verbs.IbException when the queue pairs cannot be connected
   */
  Connection connect(QueuePair client);

  /** A client's connection: where the buckets are. */
  interface Connection extends AutoCloseable {
    /** {@return the remote key of the buckets} */
    int rkey();

    /** {@return the remote address of the first bucket} */
    long address();

    /** {@return how many buckets there are; behind them are {@link Bucket#PROBES} - 1 more} */
    int buckets();

    /** Closes the server's end. A second call does nothing. */
    @Override
    void close();
  }
}
