package ib.kit;

import ib.core.verbs.Cap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Assertions;

/**
 * An object under two threads: the methods that may run at the same time on it (S13-S16), and what
 * must hold when they are done.
 *
 * @param kind what it is, for names
 * @param methods the names of its methods
 * @param alone the method that its user must not run on two threads at once, or empty
 * @param maker makes one
 * @param needs capabilities
 */
record Subject(
    String kind, List<String> methods, String alone, Function<Trial, Live> maker, Cap... needs) {

  /** One object that lives, with its methods bound to it. */
  static final class Live {
    private final Map<String, Runnable> methods = new LinkedHashMap<>();
    private Runnable finish = () -> {};
    private Runnable close = () -> {};

    Live method(String name, Runnable body) {
      methods.put(name, body);
      return this;
    }

    /** Sets the check that runs when all threads have returned. */
    Live finish(Runnable check) {
      finish = check;
      return this;
    }

    /** How it is closed. */
    Live close(Runnable how) {
      close = how;
      return this;
    }

    Runnable get(String name) {
      Runnable body = methods.get(name);
      if (body == null) {
        throw new AssertionError("no method " + name);
      }
      return body;
    }

    void finish() {
      finish.run();
    }

    void close() {
      close.run();
    }
  }

  Live make(Trial t) {
    Live live = maker.apply(t);
    Assertions.assertEquals(methods, List.copyOf(live.methods.keySet()), "methods of " + kind);
    return live;
  }
}
