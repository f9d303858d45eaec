package ib.engine.ring;

/**
 * A send queue: many posters, one consumer (the holder of the queue pair's claim). A batch of
 * contiguous slots is published by its first word alone, so it is posted whole or not at all.
 */
public final class SendRing extends SlotRing {
  private final SendWqe[] slots;

  /**
   * Makes a ring.
   *
   * @param least requests it must hold; 0 makes one that refuses all
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
   * The request in a slot: for the poster that claimed it, or the consumer once it is published.
   *
   * @param index the slot's index
   * @return the request
   */
  public SendWqe at(long index) {
    return slots[slot(index)];
  }

  /**
   * Puts a request that was made outside into a claimed slot.
   *
   * @param index the slot's index
   * @param wqe the request
   * @return the one that was there
   */
  public SendWqe swap(long index, SendWqe wqe) {
    int i = slot(index);
    SendWqe was = slots[i];
    slots[i] = wqe;
    return was;
  }
}
