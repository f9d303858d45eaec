package ib.driver.rxe.udp;

import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Where a device receives: a fixed number of buffers and of packets that refer to them. One thread
 * takes, any thread gives back. When all are under way the kernel's buffer fills, and then the
 * network loses packets: nothing grows here.
 */
final class ReceivePool extends PacketOwner implements AutoCloseable {
  private static final int REPLICAS_MOST = 256;
  private static final int LOOK_MOST = 64;

  private final Arena arena = Arena.ofShared();
  private final ReceiveBuffer[] buffers;
  private final Packet[] packets;
  private final AtomicReferenceArray<Packet> replicas = new AtomicReferenceArray<>(REPLICAS_MOST);
  private int nextBuffer;
  private int nextPacket;

  /**
   * Makes buffers and packets.
   *
   * @param count how many buffers
   * @param bytes of each
   * @param each how many packets lie in one at most
   * @param packetCount how many packets in all
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

  /** {@return a free buffer, which the caller must {@link ReceiveBuffer#use} at once, or null} */
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
   * Begins with the first ones again: those that are back are still in a cache. For the thread that
   * takes.
   */
  void rewind() {
    nextBuffer = 0;
    nextPacket = packets[0].busy() ? nextPacket : 0; // there may be many under way
  }

  /**
   * A free packet.
   *
   * @param in the buffer that it refers to, whose use by the caller becomes the packet's
   * @return the packet, or null when there is none
   */
  @Nullable Packet packet(ReceiveBuffer in) {
    for (int i = 0; i < LOOK_MOST; i++) {
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
    buffer.unuse(); // last: then its bytes may change
  }

  @Override
  protected @Nullable Packet replicate(Packet original) {
    for (int i = 0; i < REPLICAS_MOST; i++) {
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
      buffers[(int) p.cookie].use(); // the original holds it as well
      return p;
    }
    return null;
  }

  /** Frees the memory; the engine has been shut down, so nobody reads it any more. */
  @Override
  public void close() {
    arena.close();
  }
}
