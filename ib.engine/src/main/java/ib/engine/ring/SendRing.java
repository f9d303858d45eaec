package ib.engine.ring;

/**
 * A send queue: many posters, one consumer (the claim holder of the queue pair). One release store
 * of its first word publishes a batch of contiguous slots, so a batch is posted whole or not at
 * all.
 */
public final class SendRing extends SlotRing {
  private final SendWqe[] slots;

  /**
   * Makes a ring.
   *
   * @param least least number of slots; with 0 every claim fails
   * @param sgeMost elements per request
   * @param inlineMost inline bytes per request
   */
  public SendRing(int least, int sgeMost, int inlineMost) {
    super(least, 1);
    slots = new SendWqe[Math.max(1, capacity())];
    for (int i = 0; i < capacity(); i++) {
      slots[i] = new SendWqe(sgeMost, inlineMost);
    }
  }

  /**
   * Returns the request in a slot; for the poster that claimed it, or the consumer once it is
   * published.
   *
   * @param index the slot's index
   * @return the request
   */
  public SendWqe at(long index) {
    return slots[slot(index)];
  }

  /**
   * Puts another request into a claimed slot; for the poster that claimed it.
   *
   * @param index the slot's index
   * @param wqe the request
   * @return the request that was in the slot
   */
  public SendWqe swap(long index, SendWqe wqe) {
    int i = slot(index);
    SendWqe was = slots[i];
    slots[i] = wqe;
    return was;
  }
}
