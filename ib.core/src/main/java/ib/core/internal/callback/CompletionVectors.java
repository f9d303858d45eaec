package ib.core.internal.callback;

import ib.core.serial.Waits;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;

/**
 * The threads of one device's callbacks: {@code ib-<device>-comp-<n>} per completion vector, {@code
 * ib-<device>-async} for the events of objects. The former start with their first user, the latter
 * with the first event.
 */
public final class CompletionVectors {
  private final CompletionVector[] vectors;
  private final CompletionVector async;
  private final CallbackPool pool;

  /**
   * Makes the vectors; starts no thread.
   *
   * @param device device name
   * @param count number of completion vectors, at least 1
   * @param pool whose threads start the vector of events
   */
  public CompletionVectors(String device, int count, CallbackPool pool) {
    vectors = new CompletionVector[count];
    for (int i = 0; i < count; i++) {
      String name = "ib-" + device + "-comp-" + i;
      vectors[i] = new CompletionVector(name, Roulette.of(name));
    }
    async = new CompletionVector("ib-" + device + "-async", pool.starter());
    this.pool = pool;
  }

  /**
   * A completion vector, running.
   *
   * @param index from 0
   * @return the vector
   */
  @MaySleep
  public CompletionVector vector(int index) {
    vectors[index].start();
    return vectors[index];
  }

  /**
   * {@return the vector of the events of objects; its thread starts with the first event, and this
   * method starts the pool's thread that will start it}
   */
  @MaySleep
  public CompletionVector async() {
    pool.handover();
    return async;
  }

  /**
   * Ends the threads, after all objects are gone. Waits at most 5 s for each thread, in case a
   * callback does not return.
   *
   * @param waits the wait-for graph of the midlayer
   * @return whether all have ended
   */
  @MaySleep
  @Fence
  public boolean close(Waits waits) {
    for (CompletionVector v : vectors) {
      v.close();
    }
    async.close();
    boolean ended = async.join(waits);
    for (CompletionVector v : vectors) {
      ended &= v.join(waits);
    }
    return ended;
  }
}
