package ib.engine.time;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of timers, earliest first; for the worker's thread only. */
public final class TimerHeap {
  private static final int SIZE_INITIAL = 64;

  private @Nullable Timer[] heap = new @Nullable Timer[SIZE_INITIAL];
  private int size;

  /** Makes an empty heap. */
  public TimerHeap() {}

  /** {@return the number of timers} */
  public int size() {
    return size;
  }

  /** {@return the clock's time at which the earliest timer is due, or Long.MAX_VALUE} */
  public long earliestNs() {
    Timer t = heap[0];
    return t == null ? Long.MAX_VALUE : t.dueNs();
  }

  /**
   * Adds a timer that is not in the heap.
   *
   * @param timer the timer
   * @param nowNs the clock's time
   */
  public void add(Timer timer, long nowNs) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    timer.dueNs(nowNs + timer.durationNs());
    siftUp(size++, timer);
  }

  /**
   * Removes and calls every timer that is due.
   *
   * @param nowNs the clock's time
   * @return the number of timers called
   */
  public int expire(long nowNs) {
    int n = 0;
    for (Timer t = heap[0]; t != null && t.dueNs() <= nowNs; t = heap[0]) {
      removeFirst();
      t.expired();
      n++;
    }
    return n;
  }

  /** Removes the cancelled timers. */
  public void purge() {
    int n = size;
    size = 0;
    for (int i = 0; i < n; i++) {
      Timer t = heap[i];
      heap[i] = null;
      if (t != null && !t.cancelled()) {
        siftUp(size++, t); // size never overtakes i
      }
    }
  }

  private void removeFirst() {
    Timer moved = heap[--size];
    heap[size] = null;
    if (size > 0 && moved != null) {
      siftDown(moved);
    }
  }

  private void siftUp(int from, Timer timer) {
    int i = from;
    while (i > 0) {
      int parent = (i - 1) >>> 1;
      Timer p = heap[parent];
      if (p == null || p.dueNs() <= timer.dueNs()) {
        break;
      }
      heap[i] = p;
      i = parent;
    }
    heap[i] = timer;
  }

  private void siftDown(Timer timer) {
    int i = 0;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      Timer c = heap[child];
      Timer right = child + 1 < size ? heap[child + 1] : null;
      if (right != null && c != null && right.dueNs() < c.dueNs()) {
        c = right;
        child++;
      }
      if (c == null || c.dueNs() >= timer.dueNs()) {
        break;
      }
      heap[i] = c;
      i = child;
    }
    heap[i] = timer;
  }
}
