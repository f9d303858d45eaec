package ib.driver.rxe;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Somebody who has a device and does with it what he is told: {@link Station} says what. */
interface Party extends AutoCloseable {
  /**
   * Does something.
   *
   * @param line what, words with spaces between them
   * @return the answer
   * @throws AssertionError when it went wrong
   */
  String ask(String line);

  /** The same with the words one by one. */
  default String tell(Object... words) {
    return ask(Arrays.stream(words).map(String::valueOf).collect(Collectors.joining(" ")));
  }

  /** One of the device's hardware counters. */
  default long counter(String name) {
    return Long.parseLong(tell("counter", name));
  }

  @Override
  void close();
}
