package ib.core.internal.restrack;

import ib.core.internal.restrack.Life.State;
import ib.core.serial.Waits;
import java.util.function.Consumer;

/**
 * The end of an object that another thread destroys.
 *
 * @param book its book
 */
record Closed(Book book) implements Waits.Target {
  @Override
  public boolean over() {
    return book.life().state().compareTo(State.CLOSING) > 0;
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    book.busy(to);
  }

  @Override
  public String text() {
    return "the end of " + book;
  }
}
