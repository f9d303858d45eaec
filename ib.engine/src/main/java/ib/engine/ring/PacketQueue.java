package ib.engine.ring;

import ib.engine.wire.Packet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Packets that have arrived at a queue pair, in order. Two lanes: a plain list for the thread that
 * owns the queue pair at this moment, and a lock-free stack for all others, which the owner turns
 * round when it has emptied the list. The owner uses its list only while the stack is empty, so
 * packets of one sender stay in order whichever lane they took.
 */
public final class PacketQueue {
  private static final VarHandle STACK;

  static {
    try {
      STACK = MethodHandles.lookup().findVarHandle(PacketQueue.class, "stack", Packet.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable Packet first; // the owner's
  private @Nullable Packet last; // the owner's; meaningful when first is not null
  private volatile @Nullable Packet stack;

  /** Makes an empty queue. */
  public PacketQueue() {}

  /**
   * Adds a packet; any thread. Schedule the queue pair afterwards.
   *
   * @param packet the packet
   */
  public void push(Packet packet) {
    for (; ; ) {
      Packet top = stack;
      packet.next = top;
      if (STACK.compareAndSet(this, top, packet)) {
        return;
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Adds a packet; for the owner.
   *
   * @param packet the packet
   */
  public void add(Packet packet) {
    if (stack != null) {
      push(packet);
      return;
    }
    packet.next = null;
    Packet before = last;
    if (first == null || before == null) {
      first = packet;
    } else {
      before.next = packet;
    }
    last = packet;
  }

  /** {@return the oldest packet, which stays in the queue, or null; for the owner} */
  public @Nullable Packet peek() {
    if (first == null && stack != null) {
      turn();
    }
    return first;
  }

  /** Removes the packet that {@link #peek} gave; for the owner. */
  public void remove() {
    Packet p = first;
    if (p != null) {
      first = p.next;
      p.next = null;
    }
  }

  /** {@return whether nothing is in it; for the owner} */
  public boolean isEmpty() {
    return first == null && stack == null;
  }

  private void turn() {
    Packet p = (Packet) STACK.getAndSet(this, (Packet) null);
    last = p;
    Packet reversed = null;
    while (p != null) {
      Packet below = p.next;
      p.next = reversed;
      reversed = p;
      p = below;
    }
    first = reversed;
  }
}
