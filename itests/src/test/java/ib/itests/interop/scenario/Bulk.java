package ib.itests.interop.scenario;

/**
 * The memory of scenario bulk. The server's: what is sent, then what is written, then the counter.
 */
public final class Bulk {
  /** Messages of each kind. */
  public static final int COUNT = 4;

  /** Of each message, in bytes; message i begins i bytes into the pattern, written ones 10 + i. */
  public static final int LENGTH = 12_000;

  static final int COUNTER = 200_000;

  private Bulk() {}

  /** Where the client reads what it has written. */
  static int read(int i) {
    return (2 + i) * LENGTH;
  }

  static int written(int i) {
    return (COUNT + i) * LENGTH;
  }
}
