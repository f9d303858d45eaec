package ib.engine.ring;

import ib.core.verbs.SendFlags;

/**
 * The word of a send request that says what its other words are; see {@link SendSlots}. Who checks
 * a request that is still in its builder reads this word once, and asks here what it has read.
 */
public final class SendKind {
  static final int OPCODE = 0x3f;
  static final int FLAGS = 8;
  static final int FLAG_UNKNOWN = 0x80;
  static final int COUNT = 16;
  static final long BROKEN = 1L << 24;
  static final long INLINE = 1L << 25;
  static final long CALLBACK = 1L << 26;
  static final int BATCH = 32;
  static final int BYTES = 48;
  static final long COUNT_BITS = 0xffL << COUNT;
  static final long BATCH_BITS = 0xffffL << BATCH;
  static final long DATA_BITS = COUNT_BITS | INLINE | 0xffffL << BYTES;

  private SendKind() {}

  /**
   * {@return a value of {@code WrOpcode}}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static int opcode(long kind) {
    return (int) kind & OPCODE;
  }

  /**
   * {@return bits of {@code SendFlags}}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static int flags(long kind) {
    return (int) kind >>> FLAGS & 0xff;
  }

  /**
   * {@return whether the user wants a completion}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static boolean isSignaled(long kind) {
    return (kind & SendFlags.SIGNALED << FLAGS) != 0;
  }

  /**
   * {@return the number of elements}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static int count(long kind) {
    return (int) (kind >>> COUNT) & 0xff;
  }

  /**
   * {@return bytes of inline data, or -1 when the data is not inline}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static int inlineLength(long kind) {
    return (kind & INLINE) == 0 ? -1 : (int) (kind >>> BYTES);
  }

  /**
   * {@return whether its poster could not fill it; then it completes with a protection error}
   *
   * @param kind what {@link SendSlots#kind} has returned
   */
  public static boolean isBroken(long kind) {
    return (kind & BROKEN) != 0;
  }
}
