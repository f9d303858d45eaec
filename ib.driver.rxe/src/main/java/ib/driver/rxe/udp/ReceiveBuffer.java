package ib.driver.rxe.udp;

import ib.core.verbs.WellKnown;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory that one call receives into. It is free again when no packet refers to it any more. */
final class ReceiveBuffer {
  final MemorySegment bytes;
  final ByteBuffer view;
  final int index;
  private final MemorySegment[] headers;
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Makes one that is free.
   *
   * @param index its number
   * @param bytes the memory
   * @param packets how many packets may lie in it
   */
  ReceiveBuffer(int index, MemorySegment bytes, int packets) {
    this.index = index;
    this.bytes = bytes;
    this.view = bytes.asByteBuffer();
    this.headers = new MemorySegment[packets];
    for (int i = 0; i < packets; i++) {
      headers[i] = MemorySegment.ofArray(new byte[WellKnown.GRH_BYTES]);
    }
  }

  /** {@return 40 bytes for what a datagram's receive buffer begins with} */
  MemorySegment header(int packet) {
    return headers[packet];
  }

  boolean free() {
    return users.get() == 0;
  }

  void use() {
    users.getAndIncrement();
  }

  void use(int times) {
    users.getAndAdd(times);
  }

  void unuse() {
    users.getAndDecrement();
  }
}
