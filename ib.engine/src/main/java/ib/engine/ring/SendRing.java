package ib.engine.ring;

/**
 * A send queue: many posters, one consumer (the claim holder of the queue pair). One release store
 * of its first word publishes a batch of contiguous slots, so a batch is posted whole or not at
 * all. A request stays in its slot until it is completed.
 */
public final class SendRing extends SlotRing {
  private final SendSlots slots;

  /**
   * Makes a ring.
   *
   * @param least least number of slots; with 0 every claim fails
   * @param sgeMost elements per request
   * @param inlineMost inline bytes per request
   */
  public SendRing(int least, int sgeMost, int inlineMost) {
    super(least, SendSlots.stride(sgeMost, inlineMost));
    slots = new SendSlots(words, sgeMost, inlineMost);
  }

  /**
   * Stands in for a ring whose memory is to go: every claim fails.
   *
   * @param before that ring, which is sealed now if it was not; its requests are completed
   */
  public SendRing(SendRing before) {
    super(before);
    slots = new SendSlots(words, before.slots.sgeMost, before.slots.inlineMost);
  }

  /**
   * {@return the requests in the slots, of which {@link #base} says the place; for the poster that
   * claimed a slot, or the consumer once it is published}
   */
  public SendSlots slots() {
    return slots;
  }

  /**
   * {@return how many slots the word of a published one has published}
   *
   * @param index the first of them
   */
  public int batch(long index) {
    return slots.batch(base(index));
  }

  /**
   * Publishes claimed and filled slots; for their poster.
   *
   * @param index the first of them
   * @param n number of slots
   */
  public void publish(long index, int n) {
    slots.batch(base(index), n);
    publish(index);
  }
}
