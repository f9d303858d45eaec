package ib.driver.rxe.udp;

import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The receive memory of a device: a fixed number of buffers, and of packets that refer to them.
 * Only the thread that holds the receive ring takes them; any thread releases them. When all are in
 * use the kernel's buffer fills, and then packets are lost.
 */
final class ReceivePool extends PacketOwner implements AutoCloseable {
  private static final int MAX_REPLICAS = 256;
  private static final int MAX_LOOK = 64;

  private final Arena arena = Arena.ofShared();
  private final ReceiveBuffer[] buffers;
  private final Packet[] packets;
  private final AtomicReferenceArray<Packet> replicas = new AtomicReferenceArray<>(MAX_REPLICAS);
  private int nextBuffer;
  private int nextPacket;

  /**
   * Creates buffers and packets.
   *
   * @param count number of buffers
   * @param bytes bytes of each buffer
   * @param each largest number of packets in one buffer
   * @param packetCount number of packets in all
   */
  ReceivePool(int count, int bytes, int each, int packetCount) {
    MemorySegment memory = arena.allocate((long) count * bytes, 64);
    buffers = new ReceiveBuffer[count];
    for (int i = 0; i < count; i++) {
      buffers[i] = new ReceiveBuffer(i, memory.asSlice((long) i * bytes, bytes), each);
    }
    packets = new Packet[packetCount];
    for (int i = 0; i < packetCount; i++) {
      packets[i] = new Packet(this);
    }
  }

  /**
   * {@return a free buffer, which the caller must {@link ReceiveBuffer#use} at once; null when all
   * are in use}
   */
  @Nullable ReceiveBuffer buffer() {
    for (int i = 0; i < buffers.length; i++) {
      ReceiveBuffer b = buffers[nextBuffer];
      nextBuffer = nextBuffer + 1 == buffers.length ? 0 : nextBuffer + 1;
      if (b.free()) {
        return b;
      }
    }
    return null;
  }

  /**
   * Starts again with the first buffers and packets: those already released are still in a cache.
   */
  void rewind() {
    nextBuffer = 0;
    nextPacket = packets[0].busy() ? nextPacket : 0; // not while many packets are in use
  }

  /**
   * Takes a free packet.
   *
   * @param in the buffer that the packet refers to; the packet's release ends one use of it
   * @return the packet; null when none is free
   */
  @Nullable Packet packet(ReceiveBuffer in) {
    for (int i = 0; i < MAX_LOOK; i++) {
      Packet p = packets[nextPacket];
      nextPacket = nextPacket + 1 == packets.length ? 0 : nextPacket + 1;
      if (!p.busy()) {
        p.occupy();
        p.cookie = in.index;
        return p;
      }
    }
    return null;
  }

  @Override
  protected void released(Packet packet, RunContext run) {
    ReceiveBuffer buffer = buffers[(int) packet.cookie];
    packet.free();
    buffer.unuse(); // last, because afterwards the bytes may change
  }

  @Override
  protected @Nullable Packet replicate(Packet original) {
    for (int i = 0; i < MAX_REPLICAS; i++) {
      Packet p = replicas.get(i);
      if (p == null) {
        p = new Packet(this);
        p.occupy();
        if (!replicas.compareAndSet(i, null, p)) {
          continue;
        }
      } else if (!p.tryOccupy()) {
        continue;
      }
      p.set(original);
      buffers[(int) p.cookie].use(); // the original uses the buffer as well
      return p;
    }
    return null;
  }

  /**
   * Frees the memory. Call after the engine was shut down, when no thread reads the memory any
   * more.
   */
  @Override
  public void close() {
    arena.close();
  }
}
