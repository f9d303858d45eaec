package ib.tools.rdma;

import ib.tools.getopt.CommandException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The remaining words of a command line. Commands may be abbreviated to any prefix. */
final class Words {
  private final Deque<String> words;

  Words(List<String> words) {
    this.words = new ArrayDeque<>(words);
  }

  boolean isEmpty() {
    return words.isEmpty();
  }

  int size() {
    return words.size();
  }

  String peek() {
    return words.element();
  }

  String next() {
    return words.remove();
  }

  List<String> all() {
    return List.copyOf(words);
  }

  /** {@return whether the next word is a prefix of a name} */
  boolean matches(String name) {
    return !words.isEmpty() && name.startsWith(words.element());
  }

  /**
   * Runs the command that the next word names.
   *
   * @param what kind of the words, for the error
   * @param none the command without a further word
   * @param commands commands by name, in the order in which they are tried
   */
  <T extends @Nullable Object> T dispatch(
      String what, Function<Words, T> none, Map<String, Function<Words, T>> commands) {
    if (isEmpty()) {
      return none.apply(this);
    }
    for (Map.Entry<String, Function<Words, T>> c : commands.entrySet()) {
      if (matches(c.getKey())) {
        next();
        return c.getValue().apply(this);
      }
    }
    throw new CommandException("Unknown " + what + " '" + peek() + "'.");
  }

  /** Refuses remaining words. */
  void end() {
    if (!isEmpty()) {
      throw new CommandException("Unknown parameter '" + peek() + "'.");
    }
  }
}
