package ib.bench;

import java.util.SplittableRandom;

/**
 * The cache misses of a request on a random one of many queue pairs, and nothing else: as many
 * lines of the two queue pairs are read as a WRITE touches, each time those of another pair. Where
 * each line says which is the next, as an object names the next one, no two misses overlap; where
 * the places are known before, as many overlap as the processor can. A request is between the two.
 */
final class Lines extends Case {
  /** What a WRITE of 64 bytes touches of two queue pairs and of the program's own objects. */
  static final int OF_A_WRITE = 37;

  /** Bytes of two queue pairs with rings of depth 4. */
  static final int PAIR_BYTES = 8192;

  private static final int LINE = 8; // words
  private static final int TURNS = 1 << 16;
  private static final int COUNT = 32;

  private final int lines;
  private final int words; // of a pair
  private final boolean chained;
  private final long[] memory;
  private final int[] places; // of the lines in a pair, the first at 0
  private final int[] turns = new int[TURNS];
  private int turn;
  private long sum; // what is read is used

  /**
   * Makes the memory.
   *
   * @param pairs pairs of queue pairs
   * @param lines lines that a request touches
   * @param bytes bytes of a pair, over which the lines are spread
   * @param chained whether a line names the next
   */
  Lines(int pairs, int lines, int bytes, boolean chained) {
    super(
        String.format(
            "%d lines of a random one of %d pairs, %s",
            lines, pairs, chained ? "one after the other" : "at once"),
        Kind.ALONE);
    this.lines = lines;
    this.words = bytes / Long.BYTES;
    this.chained = chained;
    this.memory = new long[pairs * words];
    SplittableRandom random = new SplittableRandom(1);
    this.places =
        random.ints(1, words / LINE).distinct().limit(lines - 1).map(n -> n * LINE).toArray();
    for (int base = 0; base < memory.length; base += words) {
      int at = 0;
      for (int next : places) {
        memory[base + at] = next;
        at = next;
      }
    }
    for (int i = 0; i < TURNS; i++) {
      turns[i] = random.nextInt(pairs);
    }
  }

  @Override
  int burst() {
    long read = 0;
    for (int k = 0; k < COUNT; k++) {
      int base = turns[turn++ & TURNS - 1] * words;
      if (chained) {
        int at = 0;
        for (int n = 0; n < lines; n++) {
          at = (int) memory[base + at];
        }
        read += at;
      } else {
        for (int place : places) {
          read += memory[base + place];
        }
        read += memory[base];
      }
    }
    sum += read;
    return COUNT;
  }
}
