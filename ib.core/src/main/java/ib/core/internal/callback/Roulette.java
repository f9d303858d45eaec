package ib.core.internal.callback;

import ib.core.serial.Place;
import ib.core.serial.Serial;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handlers of a completion vector on threads of each kind, and those of independent queues
 * in an order of its own: a handler may count on neither (S19, S25). For tests of clients; on with
 * the system property {@value #PROPERTY}, whose value is the seed. The vector's thread alone uses
 * it.
 */
final class Roulette {
  /** System property that turns it on: the seed, a number. */
  static final String PROPERTY = "ib.roulette";

  private final Random random;
  private final List<Place> places;

  /**
   * For one vector.
   *
   * @param vector the vector's name
   * @param seed the same seed makes the same choices
   */
  Roulette(String vector, long seed) {
    this(new Random(seed), places(vector));
  }

  Roulette(Random random, List<Place> places) {
    this.random = random;
    this.places = places;
  }

  private static List<Place> places(String vector) {
    ThreadFactory platform =
        Thread.ofPlatform()
            .daemon()
            .name(vector + "-roulette-", 0)
            .inheritInheritableThreadLocals(false)
            .factory();
    Place own = Serial::takeTurn;
    Place other =
        serial -> {
          Thread thread = platform.newThread(serial::arrived);
          // the thread must not keep the class loader of the thread that wakes the serial up
          thread.setContextClassLoader(Roulette.class.getClassLoader());
          thread.start();
        };
    return List.of(own, other, Place.virtual(vector + "-roulette-virtual-"));
  }

  /** {@return the roulette of a vector, or null unless the property is set} */
  static @Nullable Roulette of(String vector) {
    Long seed = Long.getLong(PROPERTY);
    return seed == null ? null : new Roulette(vector, seed);
  }

  /** Takes the serials that are linked to the first one, and has each run. */
  void run(Serial first) {
    List<Serial> all = new ArrayList<>();
    for (Serial s = first; s != null; ) {
      Serial after = s.next();
      s.next(null); // once the task runs, it may be queued again
      all.add(s);
      s = after;
    }
    Collections.shuffle(all, random);
    for (Serial s : all) {
      places.get(random.nextInt(places.size())).submit(s);
    }
  }
}
