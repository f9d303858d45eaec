package ib.engine.sim;

import ib.core.verbs.Access;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The words of a node that all its peers change with atomics. */
final class Words {
  private static final int MAX_WORDS = 1024;
  private static final int AT_ONCE = 2; // of each kind

  final Region region;
  private final SplittableRandom random;
  private final List<Word> words = new ArrayList<>();
  private final Word[][] current = new Word[2][AT_ONCE];

  Words(Node node, SplittableRandom random) {
    this.random = random;
    int access = Access.LOCAL_WRITE | Access.REMOTE_ATOMIC;
    this.region = node.region("words", MAX_WORDS * (long) Long.BYTES, access);
  }

  /** A word to add to or to swap, or null when there is none left. */
  @Nullable Word any(boolean adds) {
    Word[] some = current[adds ? 1 : 0];
    int i = random.nextInt(AT_ONCE);
    if (some[i] == null || some[i].isUsedUp()) {
      if (words.size() == MAX_WORDS) {
        return null;
      }
      long first = random.nextLong();
      some[i] = new Word(words.size(), adds, first);
      words.add(some[i]);
      region.bytes.set(ValueLayout.JAVA_LONG, address(some[i]), first);
    }
    return some[i];
  }

  static long address(Word w) {
    return (long) w.index * Long.BYTES;
  }

  /** Checks all words, when no request changes them any more. */
  void check() {
    for (Word w : words) {
      w.check(region.bytes.get(ValueLayout.JAVA_LONG, address(w)));
    }
  }
}
