package ib.core.internal.restrack;

import ib.core.internal.restrack.Life.State;
import ib.core.serial.Waits;
import java.util.function.Consumer;

/**
 * The end of an object that another thread destroys.
 *
 * @param record its record
 */
record Closed(ObjectRecord record) implements Waits.Target {
  @Override
  public boolean over() {
    return record.life.state().compareTo(State.CLOSING) > 0;
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    record.busy(to);
  }

  @Override
  public String text() {
    return "the end of " + record;
  }
}
