package ib.core.serial;

import java.util.function.Consumer;

/**
 * A target that is over when a thread has ended.
 *
 * @param thread a thread that was started
 */
public record EndOf(Thread thread) implements Waits.Target {
  @Override
  public boolean over() {
    return !thread.isAlive();
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    to.accept(thread);
  }

  @Override
  public String text() {
    return "the end of thread " + thread.getName();
  }
}
