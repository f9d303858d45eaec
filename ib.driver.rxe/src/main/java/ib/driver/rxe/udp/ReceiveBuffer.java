package ib.driver.rxe.udp;

import ib.core.verbs.WellKnown;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory that one call receives into. The memory is free again when no packet refers to it. Any
 * thread may count uses.
 */
final class ReceiveBuffer {
  final MemorySegment bytes;
  final ByteBuffer view;
  final int index;
  private final MemorySegment[] headers;
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Creates a free buffer.
   *
   * @param index index of the buffer in its pool
   * @param bytes the memory
   * @param packets largest number of packets in the buffer
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

  /** {@return 40 bytes for the network header of a packet} */
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
